import { readFile } from 'node:fs/promises'
import { createRequire } from 'node:module'
import { gunzipSync } from 'node:zlib'
import type { ReadLine, ReadWord } from '../../engine-api/engines.ts'
import { boxAround } from './bounding-box.ts'
import { Unreadable } from '../pool/unreadable.ts'

// Tesseract without its JavaScript wrapper, which starts threads and downloads data: the engine already has a thread, and the
// data is on disk.

type Tesseract = {
  FS: { writeFile(path: string, bytes: Uint8Array): void; unlink(path: string): void }
  TessBaseAPI: new () => Reader
}
type Reader = {
  Init(path: null, language: string, mode: number): number
  SetImageFile(exif: number, angle: number): number
  Recognize(monitor: null): number
  GetTSVText(page: number): string
  Clear(): void
}

const NEURAL_ONLY = 1
const UPRIGHT = 1
const [LINE_LEVEL, WORD_LEVEL] = ['4', '5']

const require = createRequire(import.meta.url)
const makeTesseract: (overrides: object) => Promise<Tesseract> = require('tesseract.js-core/tesseract-core-simd-lstm')
const data = require.resolve('@tesseract.js-data/eng/4.0.0_best_int/eng.traineddata.gz')

const tesseract = await makeTesseract({ print: () => undefined, printErr: () => undefined })
tesseract.FS.writeFile('./eng.traineddata', gunzipSync(await readFile(data)))
const reader = new tesseract.TessBaseAPI()
if (reader.Init(null, 'eng', NEURAL_ONLY) !== 0) throw new Error('Tesseract did not start')

/** Reads printed Latin script with the English model. Tesseract must be able to decode the image itself. */
export function recognize(bytes: Uint8Array, size: { width: number; height: number }): ReadLine[] {
  tesseract.FS.writeFile('/input', bytes)
  try {
    if (reader.SetImageFile(UPRIGHT, 0) === 1) throw new Unreadable('This image is damaged or of an unknown format')
    reader.Recognize(null)
    return linesOf(reader.GetTSVText(0), size)
  } finally {
    reader.Clear()
    tesseract.FS.unlink('/input')
  }
}

/** One row per page, block, paragraph, line and word; rows of lines have no text. */
function linesOf(table: string, size: { width: number; height: number }): ReadLine[] {
  const lines: ReadLine[] = []
  for (const row of table.split('\n')) {
    const [level, , , , , , left, top, width, height, confidence, ...text] = row.split('\t')
    const [x, y] = [Number(left), Number(top)]
    const corners = [
      { x, y },
      { x: x + Number(width), y: y + Number(height) },
    ]
    const word = { text: text.join(' ').trim(), box: boxAround(corners, size), confidence: Number(confidence) }
    if (level === LINE_LEVEL) lines.push({ ...word, words: [] })
    else if (level === WORD_LEVEL && word.text !== '') lines.at(-1)?.words.push(word)
  }
  return lines.filter(({ words }) => words.length > 0).map(summedUp)
}

function summedUp({ words, box }: ReadLine): ReadLine {
  const sum = words.reduce((total, { confidence }) => total + (confidence ?? 0), 0)
  return {
    text: words.map(({ text }) => text).join(' '),
    words: words.map(plain),
    box,
    confidence: tenth(sum / words.length),
  }
}

function plain({ text, box, confidence }: ReadWord): ReadWord {
  return { text, box, confidence: tenth(confidence ?? 0) }
}

function tenth(value: number): number {
  return Math.round(value * 10) / 10
}
