import type { ImagePrice, Model, Price } from '../../platform/catalog/catalog.ts'
import type { ImageCall, ImageUsage } from '../../translation/dialects/image-codec.ts'
import { addUsage } from '../../translation/dialects/openai/images-usage.ts'
import { isCost } from '../../money/billing/cost-parts.ts'
import { toTokens } from '../../money/billing/token-buckets.ts'
import type { Bill } from '../../calls/order.ts'
import type { MadeImages } from './made-images.ts'
import { measure, type OutputImage } from './output-images.ts'

const PIXELS_PER_MEGAPIXEL = 1_000_000
const TOKENS_PER_PRICE = 1_000_000
const NO_USAGE: ImageUsage = { input_tokens: 0, output_tokens: 0, total_tokens: 0 }

type CompleteUsage = ImageUsage & Required<Pick<ImageUsage, 'input_tokens_details'>>

/** What the images of one request cost. */
export function billOfImages(made: MadeImages, input: ImageCall, entry: Model | undefined): Bill {
  const { input_tokens, output_tokens, total_tokens } = usageOf([made]) ?? NO_USAGE
  const tokens = toTokens({ prompt_tokens: input_tokens, completion_tokens: output_tokens, total_tokens })
  return { cost: costOfImages(made, input, entry), tokens }
}

/** Undefined if the provider counts nothing. */
export function usageOf(made: readonly MadeImages[]): ImageUsage | undefined {
  const [first, ...others] = made.flatMap(({ usage }) => (usage && usage.total_tokens > 0 ? usage : []))
  return first && others.reduce(addUsage, first)
}

/** OpenAI's clients require the parts of the input. Parts that the provider does not report are those that are billed. */
export function withParts(usage: ImageUsage, call: ImageCall): CompleteUsage {
  const image_tokens = imagesRead(usage, call)
  const input_tokens_details = { text_tokens: usage.input_tokens - image_tokens, image_tokens }
  return { ...usage, input_tokens_details: usage.input_tokens_details ?? input_tokens_details }
}

function imagesRead({ input_tokens, input_tokens_details: read }: ImageUsage, { mode }: ImageCall): number {
  return Math.min(input_tokens, read?.image_tokens ?? (mode === 'edit' ? input_tokens : 0))
}

/** USD, as reported by the provider, by tokens or by image; null if none of these is known. */
export function costOfImages(made: MadeImages, input: ImageCall, entry: Model | undefined): number | null {
  if (made.cost !== undefined) return isCost(made.cost) ? made.cost : null
  if (!entry) return null
  const { price, perImage, per = {} } = entry
  const perRequest = per.request ?? 0
  if (price && made.usage && made.usage.total_tokens > 0) return tokenCost(made.usage, price, input) + perRequest
  if (perImage) return made.images.map((one) => priceOfOne(one, perImage, made, input)).reduce(sumOfKnown, perRequest)
  if (per.megapixel === undefined) return per.request ?? null
  const { megapixel } = per
  return made.images.map((one) => areaCost(one, megapixel, made, input)).reduce(sumOfKnown, perRequest)
}

function tokenCost(usage: ImageUsage, price: Price, call: ImageCall): number {
  const { input, output, imageInput = input, imageOutput = output } = price
  const { input_tokens, output_tokens, output_tokens_details: drawn } = usage
  const ofImages = imagesRead(usage, call)
  const textDrawn = Math.min(output_tokens, drawn?.text_tokens ?? 0)
  const dollars =
    (input_tokens - ofImages) * input +
    ofImages * imageInput +
    textDrawn * output +
    (output_tokens - textDrawn) * imageOutput
  return dollars / TOKENS_PER_PRICE
}

function priceOfOne(image: OutputImage, prices: readonly ImagePrice[], made: MadeImages, input: ImageCall) {
  const size = dimensionsOf(sizeOf(image, made, input))
  const quality = made.quality ?? input.quality
  const fitting = prices.find((price) => fits(price, size, quality))
  return fitting?.usd ?? null
}

function fits(price: ImagePrice, size: Dimensions | undefined, quality: string | undefined): boolean {
  const max = dimensionsOf(price.size)
  const isOfSize = !max || (size !== undefined && size.width <= max.width && size.height <= max.height)
  return isOfSize && (price.quality === undefined || price.quality === quality)
}

function areaCost(image: OutputImage, megapixel: number, made: MadeImages, input: ImageCall): number | null {
  const size = dimensionsOf(sizeOf(image, made, input))
  return size ? (megapixel * size.width * size.height) / PIXELS_PER_MEGAPIXEL : null
}

/** The size in the image's own bytes takes precedence, then that of the provider, then the requested size. */
export function sizeOf({ base64 }: OutputImage, { size }: MadeImages, input: ImageCall): string | undefined {
  const measured = base64 && measure(base64).size
  return measured ?? [size, input.size].find((text) => dimensionsOf(text))
}

type Dimensions = { width: number; height: number }

export function dimensionsOf(size: string | undefined): Dimensions | undefined {
  const [, width, height] = /^(\d{1,6})\s*[x×*]\s*(\d{1,6})$/i.exec(size ?? '') ?? []
  return width && height ? { width: Number(width), height: Number(height) } : undefined
}

function sumOfKnown(sum: number | null, one: number | null): number | null {
  return sum === null || one === null ? null : sum + one
}
