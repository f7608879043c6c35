import { ImageEditRequest, type ImageGenerationRequest, type ImageResponse } from '../contract/images.ts'
import { problem } from '../contract/problems.ts'
import { GATEWAY_FIELDS } from '../dialects/asked/gateway-fields.ts'
import type { Note } from '../dialects/dialect.ts'
import type { ImageCall, ImageInput } from '../dialects/image-face.ts'
import { attempt } from './attempt.ts'
import { type Call, closeCall, failCall, limitCall, metadataOf } from './call.ts'
import { isCustomized } from './customized.ts'
import { settleImages, sizeOf, usageOf } from './image-account.ts'
import { governFields } from './governed-fields.ts'
import { deliver } from './image-delivery.ts'
import { namedFormat } from './image-glance.ts'
import { type GivenImage, imageInputs } from './image-inputs.ts'
import { fill, type ImageOrder, type MadeImages, type Ordered, ordersFor } from './image-order.ts'
import { measure, type Picture } from './image-pictures.ts'
import type { ImageShelf } from './image-shelf.ts'
import { imageTarget, type ImageTarget } from './image-target.ts'
import { refuseDestinations } from './provider-params.ts'
import type { Outside } from './outside.ts'
import { loaded } from './shelf-sink.ts'

export type AskedImages = {
  mode: ImageCall['mode']
  request: ImageGenerationRequest
  /** Taken out when they are read: what is on its way to the provider need not be held here as well. */
  images: GivenImage[]
  mask: GivenImage | undefined
  /** Whoever opened it closes it, once the reply is written. */
  shelf: ImageShelf
}

/** Both are promised as texts. Where nobody tells and the image cannot be looked at: the word for "as the model likes". */
const UNKNOWN_SIZE = 'auto'
const UNKNOWN_FORMAT = 'unknown'

/** An answer whose base64 lies on the shelf. */
export type ImagesMade = Omit<ImageResponse, 'data'> & { data: Picture[] }

/** One target, no stream, no fallbacks: either all images, or an error. */
export async function makeImages(given: AskedImages, call: Call, outside: Outside): Promise<ImagesMade> {
  try {
    refuseSteering(given.request)
    call.isCustomized = () => isCustomized(given.request, ImageEditRequest)
    refuseDestinations(given.request)
    const target = await imageTarget(given.request.model, given.mode, call.caller, outside)
    limitCall(call, target.limits.totalMs)
    const { asked, orders } = await prepareImages(given, target, call, outside)
    const ordered = { asked, target, shelf: given.shelf }
    return await present(await order(orders, ordered, call, outside), ordered, call, outside)
  } catch (error) {
    throw failCall(call, error)
  } finally {
    closeCall(call, outside)
  }
}

/** What reaches the provider is written once; the images that it was made from are let go of. */
export async function prepareImages(given: AskedImages, target: ImageTarget, call: Call, outside: Outside) {
  const handed = given.images.splice(0)
  const inputs = await imageInputs(given.mask ? [...handed, given.mask] : handed, target, call, outside, given.shelf)
  const mask = given.mask && (await painted(inputs.pop()!, target, call, outside))
  given.mask = undefined
  const { asked, notes } = allowed(toImageCall(given), target)
  const orders = ordersFor({ ...asked, images: inputs, mask }, given.request.extra_headers ?? {}, target, call)
  call.notes = [...notes, ...call.notes]
  return { asked, orders }
}

/** In a thread of its own: a megapixel takes a twentieth of a second, in which nobody else would be served. */
async function painted(mask: ImageInput, target: ImageTarget, call: Call, outside: Outside): Promise<ImageInput> {
  const redrawn = target.face.paints?.(target)
  if ('url' in mask || !redrawn) return mask
  const bytes = mask.source ? await loaded(mask.source) : mask.bytes
  return { ...mask, painted: await outside.engine('mask', { bytes, redrawn }, call.signal, call.caller.owner) }
}

function allowed(asked: ImageCall, { provider }: ImageTarget): { asked: ImageCall; notes: Note[] } {
  const governed = governFields(asked.extra, ImageEditRequest.properties, provider)
  return governed ? { asked: { ...asked, extra: governed.fields }, notes: governed.notes } : { asked, notes: [] }
}

function toImageCall({ mode, request }: AskedImages): ImageCall {
  const { model: _, prompt, n, size, quality, response_format, ...rest } = request
  const extra = Object.fromEntries(Object.entries(rest).filter(([field]) => !GATEWAY_FIELDS.has(field)))
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

/** All orders side by side. Of those that failed, only those are tried again. */
async function order(
  orders: readonly ImageOrder[],
  ordered: Ordered,
  call: Call,
  outside: Outside,
): Promise<MadeImages[]> {
  try {
    await attempt([ordered.target], call, outside, async (_, chance) => {
      const open = orders.filter(({ made }) => !made)
      const ends = await Promise.allSettled(open.map((one) => fill(one, ordered, chance, call, outside)))
      for (const end of ends) if (end.status === 'rejected') throw end.reason
    })
  } finally {
    settleImages(call, madeOf(orders), ordered.asked, ordered.target.entry)
  }
  return madeOf(orders)
}

export function madeOf(orders: readonly ImageOrder[]): MadeImages[] {
  return orders.flatMap(({ made }) => made ?? [])
}

async function present(
  made: readonly MadeImages[],
  { asked, target, shelf }: Ordered,
  call: Call,
  outside: Outside,
): Promise<ImagesMade> {
  const [first] = made as [MadeImages]
  const [before] = first.pictures as [Picture]
  const pictures = made.flatMap(({ pictures }) => pictures)
  const data = await deliver(pictures, asked, shelf, call, outside)
  const seen = before.base64 ? before : data[0]!
  return {
    created: first.created ?? Math.floor(outside.now() / 1000),
    data,
    output_format: formatOf(seen, first, asked) ?? UNKNOWN_FORMAT,
    size: sizeOf(seen, first, asked) ?? asked.size ?? UNKNOWN_SIZE,
    ...(first.quality && { quality: first.quality }),
    usage: usageOf(made),
    cost: call.cost,
    provider: target.provider.id,
    ...(call.wantsMetadata && { gatehouse: metadataOf(call, outside) }),
  }
}

/** By its own bytes where they are here; else as the provider, the address or the caller calls it. */
function formatOf({ base64, url = '' }: Picture, { outputFormat }: MadeImages, asked: ImageCall): string | undefined {
  const measured = base64 && measure(base64).format
  return measured ?? outputFormat ?? namedFormat(url, asked)
}

/** Fields of a chat that would do nothing here: better said than passed on or passed over. */
function refuseSteering(request: ImageGenerationRequest): void {
  const given: Record<string, unknown> = request
  const field = ['fallbacks', 'router_candidates', 'routing', 'pre_hooks', 'post_hooks'].find(
    (name) => given[name] != null,
  )
  if (!field) return
  const msg = `Image endpoints have no ${field}`
  throw problem('validation_error', {
    message: `${msg}.`,
    param: field,
    detail: [{ loc: ['body', field], msg, type: 'extra_forbidden' }],
  })
}
