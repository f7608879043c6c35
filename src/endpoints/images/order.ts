import { addCallerHeaders } from '../../translation/dialects/request/request-headers.ts'
import type { MadeImages } from './made-images.ts'
import { inBlocks } from '../../base/bytes/in-blocks.ts'
import type { UpstreamProblem } from '../../translation/wire/upstream-problem.ts'
import { WireFailure, type WireRequest, type WireResponse, type SendReport } from '../../translation/wire/wire.ts'
import type { ImageAnswer, ImageCall, ImageReply } from '../../translation/dialects/image-codec.ts'
import { readText } from '../../platform/net/read-text.ts'
import type { Attempt } from '../../calls/attempts/attempt.ts'
import { authorize } from '../../calls/upstream/authorize.ts'
import { readRetryAfter } from '../../translation/wire/retry-after.ts'
import type { Call } from '../../calls/call.ts'
import type { SlowProvider, SlowStep, SlowWork } from '../../calls/attempts/slow-work.ts'
import type { TempBytes } from '../../calls/files/temp-file-writer.ts'
import { inspectImageUrl } from './inspect-url.ts'
import type { TempFiles } from '../../calls/files/temp-files.ts'
import { ImageJsonReader, PROVIDER } from '../../calls/files/image-json-reader.ts'
import { toBase64, toOutputImage } from './output-images.ts'
import { billOfImages } from './cost.ts'
import { likelyImageBill } from './image-worst-case.ts'
import type { ImageTarget } from './target.ts'
import { sourcesOf, withImages } from './source.ts'
import type { CallServices } from '../../calls/services/call-services.ts'
import { MAX_ERROR_BYTES } from '../../translation/wire/upstream-problem.ts'
import { MB } from '../../base/units/units.ts'

/** Enough for ten large images in base64. */
const MAX_ANSWER_BYTES = 128 * MB

/** One request for some of the images, and what it has made. Finished images are never requested again. */
export type ImageOrder = {
  wire: WireRequest
  /** How many images it asks for, and how many the model reads for them. */
  n: number
  inputs: number
  made?: MadeImages
}

/** What to make, the model that makes it, and where large answers are stored. */
export type Ordered = { input: ImageCall; target: ImageTarget; tempFiles: TempFiles }
/** One attempt at all orders for a model. */
export type ImageAttempt = Omit<Attempt<{ readonly id: string }, CallServices>, 'requester'>
/** An answer, and its long texts in temp files by the mark that stands for each. */
type ReadAnswer = { answer: ImageAnswer; longs: ReadonlyMap<string, TempBytes> }

/** Splits a request into orders of at most `codec.max` images. Equal orders share one wire request. */
export function ordersFor(input: ImageCall, extraHeaders: Record<string, string>, target: ImageTarget, call: Call) {
  const { max } = target.codec
  const counts = Array.from({ length: Math.ceil(input.n / max) }, (_, index) => Math.min(max, input.n - index * max))
  const wires = new Map<number, WireRequest>()
  return counts.map((n): ImageOrder => {
    const wire = wires.get(n) ?? encode({ ...input, n }, extraHeaders, target, call)
    wires.set(n, wire)
    return { wire, n, inputs: input.images.length + (input.mask ? 1 : 0) }
  })
}

function encode(input: ImageCall, extraHeaders: Record<string, string>, target: ImageTarget, call: Call): WireRequest {
  const { wire, notes } = target.codec.encode(input, target)
  call.record.replaceNotes(notes)
  addCallerHeaders(wire.headers, extraHeaders)
  return withImages(wire, sourcesOf(input))
}

/** Fills all orders concurrently. A retry repeats only the orders that failed, and continues those that have a ticket. */
export async function fillAll(
  orders: readonly ImageOrder[],
  ordered: Ordered,
  attempt: ImageAttempt,
  slow: SlowWork<WireRequest>,
): Promise<void> {
  const { input, target } = ordered
  const ends = await Promise.allSettled(
    orders.map(async (order, index) => {
      const { n, inputs } = order
      order.made ??= await slow.ask(
        attempt,
        {
          likelyBill: () => likelyImageBill({ ...input, n }, inputs, target.entry),
          provider: (reach) => providerOf(order.wire, ordered, { ...attempt, ...reach }),
          billOf: (made) => billOfImages(made, input, target.entry),
        },
        `${attempt.target.id} ${index}`,
      )
    }),
  )
  for (const end of ends) if (end.status === 'rejected') throw end.reason
}

type Reaching = Pick<ImageAttempt, 'credential' | 'call' | 'services'> & { report: SendReport }

/** Some providers make the images at once, others hand out the request that asks for them. */
function providerOf(wire: WireRequest, ordered: Ordered, reaching: Reaching): SlowProvider<WireRequest, MadeImages> {
  const ask = async (request: WireRequest) =>
    await readStep(await exchange(request, ordered.target, reaching), request, ordered, reaching)
  return { submit: () => ask(wire), poll: ask }
}

export async function readStep(
  response: WireResponse,
  request: WireRequest,
  { input, target, tempFiles }: Ordered,
  { call, services }: Pick<Reaching, 'call' | 'services'>,
): Promise<SlowStep<WireRequest, MadeImages>> {
  const { answer, longs } = await readAnswer(response, tempFiles, call, services)
  const step = target.codec.decode(answer, input, target, request)
  if (!step.done) return { done: false, ticket: step.poll, afterMs: step.afterMs }
  const result = madeFrom(step.reply, longs)
  await inspectImageUrl(result, input, call, services)
  return { done: true, result }
}

export function madeFrom(reply: ImageReply, longs: ReadAnswer['longs']): MadeImages {
  return { ...reply, images: reply.data.map((item) => toOutputImage(item, longs)), data: [] }
}

export async function exchange(
  wire: WireRequest,
  { provider, timeouts, codec }: ImageTarget,
  { credential, report, call, services }: Reaching,
): Promise<WireResponse> {
  // Equal orders and retries share the wire request, and each adds its own credential, hence the copy.
  const request = await authorize({ ...wire, headers: { ...wire.headers } }, provider, credential, services)
  const { connectMs, headersMs, idleMs } = timeouts
  const { signal, caller } = call
  const options = { signal, timeouts: { connectMs, headersMs, idleMs }, owner: caller.owner, report }
  const response = await services.send(request, options)
  if (response.status < 200 || response.status >= 300) throw await readProblem(codec, response, services.now())
  return response
}

async function readProblem(
  codec: ImageTarget['codec'],
  { status, headers, body }: WireResponse,
  now: number,
): Promise<UpstreamProblem> {
  const failure = codec.problem(status, await readText(body, MAX_ERROR_BYTES).catch(() => ''))
  failure.retryAfterSeconds ??= readRetryAfter({ status, headers }, now)
  return failure
}

async function readAnswer(
  { headers, body }: WireResponse,
  tempFiles: TempFiles,
  { caller }: Call,
  services: Pick<CallServices, 'newId' | 'loopSlot'>,
): Promise<ReadAnswer> {
  const [named = ''] = String(headers['content-type'] ?? '').split(';')
  const mediaType = named.trim().toLowerCase()
  const bytes = boundedAnswer(body, Number(headers['content-length']))
  const reader = new ImageJsonReader(tempFiles, services.newId(), PROVIDER)
  if (!mediaType.startsWith('image/')) {
    for await (const block of inBlocks(bytes)) {
      await reader.push(block)
      await services.loopSlot(caller.owner)
    }
    return { answer: { headers, mediaType, bytes: reader.end() }, longs: reader.longs }
  }
  const base64 = await toBase64(bytes, tempFiles)
  const image = base64.length > 0 ? services.newId().replaceAll('-', '') : undefined
  return { answer: { headers, mediaType, bytes: NOTHING, image }, longs: new Map(image ? [[image, base64]] : []) }
}

const NOTHING = new Uint8Array(0)

export async function* boundedAnswer(body: WireResponse['body'], reported: number): AsyncGenerator<Uint8Array> {
  const max = reported > 0 ? Math.min(reported, MAX_ANSWER_BYTES) : MAX_ANSWER_BYTES
  let size = 0
  for await (const chunk of body) {
    size += chunk.length
    if (size > max) throw new WireFailure('protocol')
    yield chunk
  }
}
