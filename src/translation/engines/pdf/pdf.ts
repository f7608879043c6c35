import type { ReadLine, ReadPage, ReadWord } from '../../engine-api/engines.ts'
import { boxAround } from '../image/bounding-box.ts'
import { openPdf, type PdfPage, type Viewport } from './open-pdf.ts'

/** The part of a line's height that is above the baseline. */
const ABOVE_BASE = 0.8
/** Runs belong to one line if their baselines are this close, in font heights. */
const SAME_LINE = 0.5

type Run = { str: string; width: number; height: number; transform: number[]; hasEOL: boolean }

/** Extracts the text layer of a document. A scanned page has none and becomes a page without lines. */
export async function readPdf({ bytes }: { bytes: Uint8Array }): Promise<{ pages: ReadPage[] }> {
  const document = await openPdf(bytes)
  const pages: ReadPage[] = []
  for (let number = 1; number <= document.numPages; number++) pages.push(await readPage(await document.getPage(number)))
  await document.loadingTask.destroy()
  return { pages }
}

async function readPage(page: PdfPage): Promise<ReadPage> {
  const viewport = page.getViewport({ scale: 1 })
  const { items } = await page.getTextContent()
  const runs = items.filter((item) => 'str' in item) as Run[]
  const lines = linesOf(runs).map((line) => toLine(line, viewport))
  page.cleanup()
  return { lines: lines.filter(({ text }) => text !== '') }
}

/** A line ends where the file says so, or where the baseline moves. */
function linesOf(runs: readonly Run[]): Run[][] {
  const lines: Run[][] = [[]]
  for (const run of runs) {
    const before = lines.at(-1)!.at(-1)
    if (before && (before.hasEOL || !isLevel(before, run))) lines.push([])
    lines.at(-1)!.push(run)
  }
  return lines
}

/** Spaces between words have no height. */
function isLevel(one: Run, other: Run): boolean {
  const height = Math.max(one.height, other.height)
  return (
    other.str.trim() === '' ||
    Math.abs(one.transform[5]! - other.transform[5]!) <= height * SAME_LINE ||
    one.height === 0
  )
}

function toLine(runs: readonly Run[], viewport: Viewport): ReadLine {
  const text = runs
    .map(({ str }) => str)
    .join('')
    .replace(/\s+/g, ' ')
    .trim()
  const words = runs.flatMap((run) => wordsOf(run, viewport))
  const corners = runs.filter(({ str }) => str.trim() !== '').flatMap((run) => cornersOf(run, 0, 1, viewport))
  return { text, words, box: boxAround(corners.length ? corners : [{ x: 0, y: 0 }], viewport), confidence: null }
}

/** A file positions runs of words; the position of a word in a run is computed as if all letters had the same width. */
function wordsOf(run: Run, viewport: Viewport): ReadWord[] {
  return [...run.str.matchAll(/\S+/g)].map(({ 0: text, index }) => {
    const [from, until] = [index / run.str.length, (index + text.length) / run.str.length]
    return { text, box: boxAround(cornersOf(run, from, until, viewport), viewport), confidence: null }
  })
}

/** The corners of a part of a run on the page as shown, which may be rotated. */
function cornersOf({ transform, width, height }: Run, from: number, until: number, viewport: Viewport) {
  const [a = 1, b = 0, , , x = 0, y = 0] = transform
  const length = Math.hypot(a, b) || 1
  const along = { x: a / length, y: b / length }
  return [from, until].flatMap((part) => {
    return [ABOVE_BASE * height, (ABOVE_BASE - 1) * height].map((up) => {
      const [shownX, shownY] = viewport.convertToViewportPoint(
        x + along.x * part * width - along.y * up,
        y + along.y * part * width + along.x * up,
      )
      return { x: shownX as number, y: shownY as number }
    })
  })
}
