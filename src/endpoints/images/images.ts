import type { Attempt } from '../../calls/attempts/attempt.ts'
import { recordSuccess } from '../../calls/attempts/record-outcome.ts'
import { type BegunImage, beginImage } from './begin-image.ts'
import { ImageRelay, type ImageStream, listed, type SentImage } from './relay-image.ts'
import { ImageEditRequest, type ImageGenerationRequest, type ImageResponse } from '../../contract/images.ts'
import { GATEWAY_FIELDS } from '../../translation/dialects/request/gateway-fields.ts'
import type { Note } from '../../translation/dialects/chat-codec.ts'
import type { ImageCall, ImageEventCodec, ImageInput } from '../../translation/dialects/image-codec.ts'
import type { CallPlan } from '../../calls/attempts/plan.ts'
import { runCall } from '../../calls/attempts/run-call.ts'
import { SlowWork } from '../../calls/attempts/slow-work.ts'
import { type Call, knownCost } from '../../calls/call.ts'
import { metadataOf } from '../../calls/call-metadata.ts'
import { completed } from '../../calls/routing/alias-defaults.ts'
import { isCustomized } from '../../calls/upstream/customized.ts'
import { sizeOf, usageOf, withParts } from './cost.ts'
import { governFields } from '../../calls/upstream/governed-fields.ts'
import { fileAccessOf } from '../../calls/file-inputs/file-references.ts'
import { deliver } from './delivery.ts'
import { namedFormat } from './inspect-url.ts'
import { imageWorstCase } from './image-worst-case.ts'
import { type InputImage, imageInputs } from './inputs.ts'
import { fillAll, type ImageOrder, type Ordered, ordersFor } from './order.ts'
import type { MadeImages } from './made-images.ts'
import { measure, type OutputImage } from './output-images.ts'
import type { TempFiles } from '../../calls/files/temp-files.ts'
import { type ImageTarget, imageTargets } from './target.ts'
import { refuseDestinations } from '../../calls/upstream/provider-params.ts'
import type { WireRequest } from '../../translation/wire/wire.ts'
import { guardedAnswer, guardedBody } from '../../calls/guardrails/guarded-body.ts'
import type { CallServices } from '../../calls/services/call-services.ts'
import { loaded } from '../../calls/files/temp-file-writer.ts'
import { keepWritten } from '../../translation/json/written-numbers.ts'

export type ImagesRequest = {
  mode: ImageCall['mode']
  request: ImageGenerationRequest
  /** The images are removed from the list when they are read, so that they are not held twice while they are sent. */
  images: InputImage[]
  mask: InputImage | undefined
  /** The caller gets events, and not one JSON answer. */
  asEvents?: boolean | undefined
  /** The function that opened the temp files closes them, once the reply is written. */
  tempFiles: TempFiles
}

/** Stands for a size that neither the request nor the provider states and the bytes do not show. */
const UNKNOWN_SIZE = 'auto'

/** A reply whose base64 is in temp files. */
export type ImagesMade = Omit<ImageResponse, 'data'> & { data: OutputImage[] } & Pick<
    MadeImages,
    'quality' | 'background'
  > & {
    gatehouse?: object | undefined
  }

/** The result is all images of one model, or an error. An alias may have further models to try. */
export function makeImages(original: ImagesRequest, call: Call, services: CallServices): Promise<ImagesMade> {
  return runCall(() => wholePlan(original, call, services), call, services)
}

/** The same as events. Resolves at the first image, which may be a partial one; until then, another model may take over. */
export function streamImages(original: ImagesRequest, call: Call, services: CallServices): Promise<ImageStream> {
  call.record.streams()
  return runCall(() => streamPlan(original, call, services), call, services)
}

type ImagesPlan<Answer> = CallPlan<ImageTarget, CallServices, Orders, Answer>

async function wholePlan(original: ImagesRequest, call: Call, services: CallServices): Promise<ImagesPlan<ImagesMade>> {
  const plan = await planOf(original, call, services)
  return { ...plan, present: ({ reply: { ordered, orders } }) => present(madeOf(orders), ordered, call, services) }
}

async function streamPlan(
  original: ImagesRequest,
  call: Call,
  services: CallServices,
): Promise<ImagesPlan<ImageStream>> {
  const plan = await planOf({ ...original, asEvents: true }, call, services)
  return {
    ...plan,
    endsItself: true,
    present: async ({ attempt, reply: { ordered, orders, begun } }, ending) => {
      call.record.beganToAnswer(services.monotonic())
      const { input, ...rest } = ordered
      // These events have only base64, unless the caller wants links.
      const withFormat = { ...rest, input: { ...input, responseFormat: input.responseFormat ?? ('b64_json' as const) } }
      const finish = async (made: readonly MadeImages[]) =>
        toEvents(await present(made, withFormat, call, services), input)
      if (begun) return new ImageRelay({ begun, ordered, attempt, ending, finish: (made) => finish([made]) })
      recordSuccess(attempt)
      const events = await finish(madeOf(orders))
      ending.close()
      return listed(events)
    },
  }
}

/** Images of a model that failed are paid for, but not part of the result. */
async function planOf(asked: ImagesRequest, call: Call, services: CallServices) {
  const original = { ...asked, request: await guardedBody(asked.request, call, services) }
  refuseDestinations(original.request)
  const targets = await imageTargets(original.request.model, original.mode, call.caller, services)
  call.time.limit(targets[0]!.timeouts.totalMs)
  const all = new Map<ImageTarget, Orders>()
  const inputs = original.images.length + (original.mask ? 1 : 0)
  const slow = new SlowWork<WireRequest>()
  call.time.holds(() => slow.end(call.signal))
  return {
    targets,
    isCustomized: () => isCustomized(original.request, ImageEditRequest),
    worstCase: (target: ImageTarget) => imageWorstCase(all.get(target)!.ordered.input, inputs, target.entry),
    ready: async (target: ImageTarget) => {
      const isLast = target === targets.at(-1)
      const request = isLast ? original : { ...original, images: [...original.images] }
      const { input, orders, events } = await prepareImages(request, target, call, services)
      all.set(target, { ordered: { input, target, tempFiles: original.tempFiles }, orders, events })
    },
    ask: async (attempt: Attempt<ImageTarget, CallServices>): Promise<Orders> => {
      const made = all.get(attempt.target)!
      const { orders, ordered, events } = made
      await slow.moveTo(attempt.target.id)
      if (events) return { ...made, begun: await beginImage(orders[0]!, ordered, attempt, events) }
      await fillAll(orders, ordered, attempt, slow)
      return made
    },
  }
}

/** The wire request is written once; the images that it was made from are released. */
export async function prepareImages(original: ImagesRequest, target: ImageTarget, call: Call, services: CallServices) {
  const handed = original.images.splice(0)
  const all = original.mask ? [...handed, original.mask] : handed
  const inputs = await imageInputs(all, target, fileAccessOf(call, original.tempFiles), services)
  const mask = original.mask && (await painted(inputs.pop()!, target, call, services))
  original.mask = undefined
  const { input: requested, notes } = allowed(toImageCall(original.mode, completed(original.request, target)), target)
  const events = original.asEvents && target.codec.events?.streams(requested, target) ? target.codec.events : undefined
  const input = original.asEvents && !events ? askedWhole(requested) : requested
  const orders = ordersFor({ ...input, images: inputs, mask }, original.request.extra_headers ?? {}, target, call)
  const unused = unusedFields(original, events !== undefined)
  call.record.noteFirst([...(target.note ? [target.note] : []), ...notes, ...unused])
  return { input, orders, events }
}

/** The gateway makes the events, so the provider is not asked for them. */
function askedWhole(input: ImageCall): ImageCall {
  const { stream: _, partial_images: __, ...extra } = input.extra
  return { ...input, extra: keepWritten(extra, input.extra) }
}

/** Runs in a worker thread: a megapixel takes 50 ms, which would block all other requests. */
async function painted(
  mask: ImageInput,
  target: ImageTarget,
  call: Call,
  services: Pick<CallServices, 'engine'>,
): Promise<ImageInput> {
  const redrawn = target.codec.paints?.(target)
  if ('url' in mask || !redrawn) return mask
  const bytes = mask.source ? await loaded(mask.source) : mask.bytes
  return { ...mask, painted: await services.engine('mask', { bytes, redrawn }, call.signal, call.caller.owner) }
}

function allowed(input: ImageCall, { provider }: ImageTarget): { input: ImageCall; notes: Note[] } {
  const governed = governFields(input.extra, ImageEditRequest.properties, provider)
  return governed ? { input: { ...input, extra: governed.fields }, notes: governed.notes } : { input, notes: [] }
}

function toImageCall(mode: ImageCall['mode'], request: ImageGenerationRequest): ImageCall {
  const { model: _, prompt, n, size, quality, response_format, ...rest } = request
  const own = Object.entries(rest).filter(([field]) => !GATEWAY_FIELDS.has(field))
  const extra = keepWritten(Object.fromEntries(own), rest)
  return {
    mode,
    prompt,
    n: n ?? 1,
    size: size ?? undefined,
    quality: quality ?? undefined,
    responseFormat: response_format ?? undefined,
    extra,
    images: [],
    mask: undefined,
  }
}

type Orders = {
  ordered: Ordered
  orders: readonly ImageOrder[]
  /** How its events are read, if the target is asked for events. */
  events: ImageEventCodec | undefined
  begun?: BegunImage | undefined
}

export function madeOf(orders: readonly ImageOrder[]): MadeImages[] {
  return orders.flatMap(({ made }) => made ?? [])
}

async function present(
  made: readonly MadeImages[],
  { input, target, tempFiles }: Ordered,
  call: Call,
  services: CallServices,
): Promise<ImagesMade> {
  const [first] = made as [MadeImages]
  const [before] = first.images as [OutputImage]
  const images = made.flatMap(({ images: outputImages }) => outputImages)
  const delivered = await deliver(images, { input, tempFiles }, call, services)
  const data = await withGuardedPrompts(delivered, target, call, services)
  const seen = before.base64 ? before : data[0]!
  const output_format = formatOf(seen, first, input)
  const usage = usageOf(made)
  return {
    created: first.created ?? Math.floor(services.now() / 1000),
    data,
    ...(output_format && { output_format }),
    size: sizeOf(seen, first, input) ?? input.size ?? UNKNOWN_SIZE,
    ...(first.quality && { quality: first.quality }),
    ...(first.background && { background: first.background }),
    ...(usage && { usage: withParts(usage, input) }),
    cost: knownCost(call),
    provider: target.provider.id,
    ...(call.wantsMetadata && { gatehouse: metadataOf(call, services) }),
  }
}

/** The prompts that the model has made of the caller's are its words. */
async function withGuardedPrompts(
  images: OutputImage[],
  target: ImageTarget,
  call: Call,
  services: CallServices,
): Promise<OutputImage[]> {
  const said = images.map(({ revised_prompt }) => revised_prompt ?? '')
  if (said.every((prompt) => prompt === '')) return images
  const asked = { model: call.record.labels.requestedModel ?? null, fallbacks: [target.id] }
  const { prompts } = await guardedAnswer({ prompts: said }, asked, call, services)
  return images.map((image, at) =>
    image.revised_prompt === undefined ? image : { ...image, revised_prompt: prompts[at]! },
  )
}

/** One event for each image. What is known about all of them together is in the last one. */
function toEvents(
  { created, data, usage, cost, provider, gatehouse, ...about }: ImagesMade,
  input: ImageCall,
): SentImage[] {
  const { quality = input.quality ?? 'auto', background = input.extra.background ?? 'auto' } = about
  const fields = { created_at: created, ...about, quality, background }
  const ofAll = { usage, cost, provider, gatehouse }
  return data.map((image, index) => ({
    kind: 'completed',
    image,
    fields: index === data.length - 1 ? { ...fields, ...ofAll } : fields,
  }))
}

/** The format by the image's own bytes, or else as the provider, the URL or the caller names it. */
function formatOf(
  { base64, url = '' }: OutputImage,
  { outputFormat }: MadeImages,
  input: ImageCall,
): string | undefined {
  const measured = base64 && measure(base64).format
  return measured ?? outputFormat ?? namedFormat(url, input)
}

/** What the caller asks for and the gateway has no use for. */
function unusedFields({ request, asEvents }: ImagesRequest, isStreamed: boolean): Note[] {
  const { stream, partial_images, n }: Record<string, unknown> = request
  const reason = Number(n ?? 1) > 1 ? ONLY_ONE : NO_PARTIAL_IMAGES
  return [
    ...(stream === true && !asEvents ? [dropped('stream', NO_STREAM)] : []),
    ...(asEvents && !isStreamed && partial_images ? [dropped('partial_images', reason)] : []),
  ]
}

function dropped(field: string, reason: string): Note {
  return { field, action: 'dropped', reason }
}

const NO_STREAM = 'the provider may stream, but no partial images are produced: the answer comes whole'
const NO_PARTIAL_IMAGES = 'this model sends no partial images'
const ONLY_ONE = 'partial images are sent only if one image is asked for'
