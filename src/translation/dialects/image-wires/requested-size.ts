import { cannotTake } from '../cannot-take.ts'
import type { ImageCall } from '../image-codec.ts'
import type { Notes } from '../notes.ts'

// Callers name pixels. Some wire formats have pixels with restrictions, some an aspect ratio, some a ratio and a scale.

type Pixels = { width: number; height: number }

/** The requested size; undefined leaves it to the model. */
export function pixelsOf(size: string | undefined, provider: string): Pixels | undefined {
  if (!size || size === 'auto') return undefined
  const [, width, height] = /^(\d{1,5})[x*](\d{1,5})$/i.exec(size) ?? []
  if (Number(width) > 0 && Number(height) > 0) return { width: Number(width), height: Number(height) }
  throw cannotTake(['size'], `${provider} needs a size as WIDTHxHEIGHT here, or "auto"`)
}

/** The nearest aspect ratio. The caller's `aspect_ratio` is already in the provider's own format. */
export function requestedRatio(
  { size, extra }: ImageCall,
  ratios: readonly string[],
  provider: string,
  notes: Notes,
): string | undefined {
  if (typeof extra.aspect_ratio === 'string') return extra.aspect_ratio
  const pixels = pixelsOf(size, provider)
  if (!pixels) return undefined
  const ratio = nearestRatio(pixels, ratios)
  notes.translated('size', `${provider} needs an aspect ratio: ${ratio}`)
  return ratio
}

/** Ratios as `16:9` or `16x9`. Twice too wide is as far off as twice too high. */
export function nearestRatio({ width, height }: Pixels, ratios: readonly string[]): string {
  return nearest(ratios, (ratio) => width / height / shapeOf(ratio))
}

/** The scale whose square is nearest: `{ '1k': 1024, '2k': 2048 }`. */
export function nearestScale<Scale extends string>(
  { width, height }: Pixels,
  scales: Readonly<Record<Scale, number>>,
): Scale {
  return nearest(Object.keys(scales) as Scale[], (scale) => Math.sqrt(width * height) / scales[scale])
}

/** `1536x1024` → `3:2`. */
export function exactRatio({ width, height }: Pixels): string {
  const unit = commonDivisor(width, height)
  return `${width / unit}:${height / unit}`
}

/** The sides, rounded to multiples of `step` pixels. */
export function requestedPixels(call: ImageCall, step: number, provider: string, notes: Notes): Pixels | undefined {
  const requested = pixelsOf(call.size, provider)
  if (!requested) return undefined
  const { width, height } = { width: inSteps(requested.width, step), height: inSteps(requested.height, step) }
  if (width !== requested.width || height !== requested.height)
    notes.translated('size', `${provider} needs sides in steps of ${step} pixels: ${width}x${height}`)
  return { width, height }
}

function inSteps(side: number, step: number): number {
  return Math.max(step, Math.round(side / step) * step)
}

function nearest<Choice>(choices: readonly Choice[], quotient: (choice: Choice) => number): Choice {
  const distances = choices.map((choice) => Math.abs(Math.log(quotient(choice))))
  return choices[distances.indexOf(Math.min(...distances))]!
}

function shapeOf(ratio: string): number {
  const [width = 1, height = 1] = ratio.split(/[:x]/).map(Number)
  return width / height
}

function commonDivisor(a: number, b: number): number {
  return b === 0 ? a : commonDivisor(b, a % b)
}
