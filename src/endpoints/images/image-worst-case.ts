import type { Bill } from '../../calls/order.ts'
import { billOfWorst } from '../../calls/upstream/bounds/token-worst-case.ts'
import type { Model } from '../../platform/catalog/catalog.ts'
import type { ImageCall } from '../../translation/dialects/image-codec.ts'
import { fixedCost, type WorstCase } from '../../money/limits/worst-case.ts'
import { bytesIn, usdOfTokens } from '../../calls/upstream/bounds/token-worst-case.ts'
import { type Fields, isRecord } from '../../base/schema/record.ts'
import { costOfImages, dimensionsOf } from './cost.ts'
import { toNumber } from '../../base/schema/to-primitive.ts'

/** More than any model takes for one image, read or drawn. */
const TOKENS_PER_IMAGE = 10_000
/** Of an image whose size the model chooses. */
const MOST_MEGAPIXELS = 16
const PIXELS_PER_MEGAPIXEL = 1_000_000

/** The most that images can cost, however their model is paid. `inputs` is the number of images that the model reads. */
export function imageWorstCase(call: ImageCall, inputs: number, entry: Model | undefined): WorstCase {
  const n = call.n * mostOfEach(call.extra)
  const inputTokens = bytesIn([call.prompt, call.extra]) + inputs * TOKENS_PER_IMAGE
  const tokens = { inputTokens: inputTokens * n, outputTokens: n * TOKENS_PER_IMAGE }
  const ofTokens = usdOfTokens(tokens, entry)
  const each = entry && dearestImage(entry, isSizedByExtra(call) ? undefined : call.size)
  const fixed = each === undefined ? { usd: null } : fixedCost(each * n + (entry?.per?.request ?? 0) * n)
  const prices = [ofTokens.usd, fixed.usd].filter((usd) => usd !== null)
  const usd = prices.length > 0 ? Math.max(...prices) : null
  return { ...tokens, usd, usdPerOutputToken: 0, askedOutput: tokens.outputTokens, isChat: false }
}

/**
 * What an order most likely costs: its images, in the size and quality that were asked for. If that does not say it, because
 * the model is paid by tokens or chooses by itself, as much as was reserved.
 */
export function likelyImageBill(call: ImageCall, inputs: number, entry: Model | undefined): Bill {
  const isByTokens = entry?.price && !entry.perImage
  const isPlain = !isByTokens && mostOfEach(call.extra) === 1 && !isSizedByExtra(call)
  const images = Array.from({ length: call.n }, () => ({}))
  const cost = isPlain ? costOfImages({ images, data: [] }, call, entry) : null
  return cost === null ? billOfWorst(imageWorstCase(call, inputs, entry)) : { cost }
}

/** Names that providers have for the number of images, and for their size. Such fields are sent as they are. */
const COUNTS = [
  ...['n', 'num_images', 'num_outputs', 'num_samples', 'number_of_images', 'numberOfImages', 'sampleCount'],
  ...['sample_count', 'candidateCount', 'candidate_count', 'batch_size', 'batch_count', 'max_images', 'quantity'],
]
const SIZES = ['width', 'height', 'image_size', 'imageSize', 'megapixels', 'resolution', 'scale', 'upscale']

/** How many images a provider may draw where one was asked for. */
function mostOfEach(extra: Fields): number {
  const places = [extra, ...Object.values(extra).filter(isRecord)]
  const counts = places.flatMap((fields) => COUNTS.map((name) => toNumber(fields[name] ?? 1)))
  return Math.max(1, ...counts.filter(Number.isFinite))
}

function isSizedByExtra({ extra }: ImageCall): boolean {
  return SIZES.some((name) => extra[name] != null)
}

/** Undefined if nothing says what an image costs. */
function dearestImage({ perImage, per }: Model, size: string | undefined): number | undefined {
  if (perImage) return Math.max(...perImage.map(({ usd }) => usd))
  if (per?.megapixel === undefined) return per?.request === undefined ? undefined : 0
  const area = dimensionsOf(size)
  const megapixels = area ? (area.width * area.height) / PIXELS_PER_MEGAPIXEL : MOST_MEGAPIXELS
  return per.megapixel * Math.max(1, megapixels)
}
