import type { EngineName, Engines, ReadPage } from '../../../engine-api/engines.ts'
import { declined } from '../../http/declined.ts'
import { DOCX, PPTX, XLSX } from '../../inputs/document-kinds.ts'

// Reads the text of a file with the local engines: its own text first, and text recognition only if there is none.

export const PDF = 'application/pdf'
export const OFFICE = [DOCX, XLSX, PPTX]
export const IMAGE_TYPES = ['png', 'jpeg', 'webp', 'gif', 'bmp', 'tiff', 'avif'].map((kind) => `image/${kind}`)

type Run = <Name extends EngineName>(name: Name, input: Engines[Name]['input']) => Promise<Engines[Name]['output']>

type Reading = {
  run: Run
  /** Pages of a PDF file that are recognized as images; each takes seconds. */
  maxScans: number
  /** Called before an image is read; throws if it is known not to be readable. */
  beforeImages?: () => void
}

/** A file of one of the types above. */
export async function readDocument(bytes: Uint8Array, type: string, reading: Reading): Promise<ReadPage[]> {
  if (type === PDF) return await readPdf(bytes, reading)
  if (OFFICE.includes(type)) return (await reading.run('office', { bytes })).pages.map(toPage)
  reading.beforeImages?.()
  return (await reading.run('image', { bytes })).pages
}

export function textOf(pages: readonly ReadPage[]): string {
  return pages.map(({ lines }) => lines.map(({ text }) => text).join('\n')).join('\n\n')
}

/** Reads page by page, each as a separate task of the pool, so that other callers get a turn in between. */
async function readPdf(bytes: Uint8Array, { run, maxScans, beforeImages }: Reading): Promise<ReadPage[]> {
  const { pages } = await run('pdf', { bytes })
  const bare = pages.flatMap(({ lines }, index) => (lines.length === 0 ? [index] : []))
  if (bare.length === 0) return pages
  if (bare.length > maxScans)
    throw declined(`more than ${maxScans} pages of this PDF file have no text of their own`, 422, 'too_many_scans')
  if (bare.length === pages.length) beforeImages?.()
  for (const index of bare) pages[index] = await run('scan', { bytes, page: index + 1 })
  return pages
}

function toPage(text: string): ReadPage {
  const lines = text.split('\n').filter((line) => line !== '')
  return { lines: lines.map((line) => ({ text: line, words: [], box: null, confidence: null })) }
}
