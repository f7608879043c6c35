import { pixelsFor } from '../image/image-limits.ts'
import type { Viewport } from './open-pdf.ts'
import { type Matrix, type PageImage, product } from './page-images.ts'

// Renders a page in grey from its images alone: scanners cut pages into strips, rotate them, and put ink layers over paper.

/** Dots per point. Tesseract works best at 300 dots per inch; a scan is never enlarged. */
const MAX_SCALE = 300 / 72
const LEAST_SCALE = 1
/** Tesseract holds twelve bytes for each grey pixel. */
const MAX_PIXELS = pixelsFor(12, 16_000_000)
/** Samples per direction for a pixel that is scaled down. */
const MAX_SAMPLES = 3
const PAPER = 255

type PaintedPage = { width: number; height: number; grey: Uint8Array }

export function paintPage(images: readonly PageImage[], viewport: Viewport): PaintedPage {
  const scale = scaleFor(images, viewport)
  const [width, height] = [sideOf(viewport.width * scale), sideOf(viewport.height * scale)]
  const page = { width, height, grey: new Uint8Array(width * height).fill(PAPER) }
  const shown = product([scale, 0, 0, scale, 0, 0], viewport.transform as unknown as Matrix)
  for (const image of images) paint(page, image, product(shown, image.matrix))
  return page
}

function scaleFor(images: readonly PageImage[], { width, height }: Viewport): number {
  const finest = Math.max(...images.map(({ width: dots, matrix: [a, b] }) => dots / (Math.hypot(a, b) || dots)))
  const fitting = Math.sqrt(MAX_PIXELS / (width * height))
  return Math.min(MAX_SCALE, fitting, Math.max(LEAST_SCALE, finest))
}

/** No scale limits the pixels of a page that is extremely narrow and long. */
function sideOf(pixels: number): number {
  return Math.min(MAX_PIXELS, Math.max(1, Math.round(pixels)))
}

/** Looks up each page pixel that the image covers in the image. */
function paint(page: PaintedPage, image: PageImage, matrix: Matrix): void {
  const [a, b, c, d, e, f] = matrix
  const area = a * d - b * c
  if (Math.abs(area) < 1e-6) return
  const blend = blender(image, samplesFor(image, Math.abs(area)))
  const { left, right, top, bottom } = extentOf(matrix, page)
  for (let y = top; y < bottom; y++) {
    for (let x = left; x < right; x++) {
      const [dx, dy] = [x + 0.5 - e, y + 0.5 - f]
      const column = ((d * dx - c * dy) / area) * image.width
      const row = (1 - (a * dy - b * dx) / area) * image.height
      if (column < 0 || row < 0 || column >= image.width || row >= image.height) continue
      page.grey[y * page.width + x] = blend(column, row, page.grey[y * page.width + x]!)
    }
  }
}

/** How many image pixels fall into one page pixel, along one side. */
function samplesFor({ width, height }: PageImage, area: number): number {
  return Math.max(1, Math.min(MAX_SAMPLES, Math.round(Math.sqrt((width * height) / area))))
}

/** The grey of an image around a point, over the grey that is already on the page. */
function blender({ width, height, grey, cover }: PageImage, samples: number) {
  return (column: number, row: number, below: number) => {
    let sum = 0
    for (let up = 0; up < samples; up++) {
      for (let along = 0; along < samples; along++) {
        const x = Math.min(width - 1, Math.max(0, Math.floor(column + along - (samples - 1) / 2)))
        const y = Math.min(height - 1, Math.max(0, Math.floor(row + up - (samples - 1) / 2)))
        const at = y * width + x
        const hides = cover ? cover[at]! / 255 : 1
        sum += grey[at]! * hides + below * (1 - hides)
      }
    }
    return sum / (samples * samples)
  }
}

function extentOf([a, b, c, d, e, f]: Matrix, { width, height }: PaintedPage) {
  const [xs, ys] = [
    [e, e + a, e + c, e + a + c],
    [f, f + b, f + d, f + b + d],
  ]
  return {
    left: Math.max(0, Math.floor(Math.min(...xs!))),
    right: Math.min(width, Math.ceil(Math.max(...xs!))),
    top: Math.max(0, Math.floor(Math.min(...ys!))),
    bottom: Math.min(height, Math.ceil(Math.max(...ys!))),
  }
}
