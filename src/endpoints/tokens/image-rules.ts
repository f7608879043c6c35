import type { ImageRule } from './family.ts'
import type { ImageSize } from './image-size.ts'

/** OpenAI's older models: the image is fitted into a square, its short side is reduced, and its tiles are counted. */
export function tiles(base: number, perTile: number): ImageRule {
  return (size) => {
    const fitted = shrunk(size, 2_048 / longest(size))
    const { width, height } = shrunk(fitted, 768 / Math.min(fitted.width, fitted.height))
    return base + perTile * Math.ceil(width / 512) * Math.ceil(height / 512)
  }
}

const MAX_PATCHES = 1_536

/** OpenAI's newer models: 32 × 32 pixels each. */
export function patches(factor: number): ImageRule {
  return ({ width, height }) => {
    return Math.ceil(factor * Math.min(MAX_PATCHES, Math.ceil(width / 32) * Math.ceil(height / 32)))
  }
}

const PIXELS_PER_CLAUDE_TOKEN = 750

/** Claude: by area, after the image is reduced to the longest edge that the model sees. */
export function area(edge: number, max: number): ImageRule {
  return (size) => {
    const { width, height } = shrunk(size, edge / longest(size))
    return Math.min(max, Math.ceil((width * height) / PIXELS_PER_CLAUDE_TOKEN))
  }
}

const GEMINI_TILE = 258

/** Gemini 2: a small image is one tile, others are cut into squares. */
export function geminiTiles({ width, height }: ImageSize): number {
  if (width <= 384 && height <= 384) return GEMINI_TILE
  return GEMINI_TILE * Math.ceil(width / 768) * Math.ceil(height / 768)
}

function longest({ width, height }: ImageSize): number {
  return Math.max(width, height)
}

/** Images are never enlarged. */
function shrunk({ width, height }: ImageSize, factor: number): ImageSize {
  return factor >= 1 ? { width, height } : { width: width * factor, height: height * factor }
}
