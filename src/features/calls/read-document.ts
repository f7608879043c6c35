import type { EngineName, Engines, ReadPage } from '../../contract/engines.ts'
import { declined } from './declined.ts'
import { DOCX, PPTX, XLSX } from './document-kinds.ts'

// The text of a file, by the engines of the house: its own text first, and what can be made out in pictures only where
// there is none.

export const PDF = 'application/pdf'
export const OFFICE = [DOCX, XLSX, PPTX]
export const PICTURE_TYPES = ['png', 'jpeg', 'webp', 'gif', 'bmp', 'tiff', 'avif'].map((kind) => `image/${kind}`)

export type Run = <Name extends EngineName>(
  name: Name,
  input: Engines[Name]['input'],
) => Promise<Engines[Name]['output']>

export type Reading = {
  run: Run
  /** Pages of a PDF file that are read as pictures; each takes seconds. */
  mostScans: number
  /** Asked before a picture is read: throws where it is known not to be readable. */
  beforePictures?: () => void
}

/** A file of one of the types above. */
export async function readDocument(bytes: Uint8Array, type: string, reading: Reading): Promise<ReadPage[]> {
  if (type === PDF) return await readPdf(bytes, reading)
  if (OFFICE.includes(type)) return (await reading.run('office', { bytes })).pages.map(toPage)
  reading.beforePictures?.()
  return (await reading.run('picture', { bytes })).pages
}

export function textOf(pages: readonly ReadPage[]): string {
  return pages.map(({ lines }) => lines.map(({ text }) => text).join('\n')).join('\n\n')
}

/** One page after the other, each as a piece of work of its own: those who wait for an engine get one in between. */
async function readPdf(bytes: Uint8Array, { run, mostScans, beforePictures }: Reading): Promise<ReadPage[]> {
  const { pages } = await run('pdf', { bytes })
  const bare = pages.flatMap(({ lines }, index) => (lines.length === 0 ? [index] : []))
  if (bare.length === 0) return pages
  if (bare.length > mostScans)
    throw declined(`more than ${mostScans} pages of this PDF file have no text of their own`, 422, 'too_many_scans')
  if (bare.length === pages.length) beforePictures?.()
  for (const index of bare) pages[index] = await run('scan', { bytes, page: index + 1 })
  return pages
}

function toPage(text: string): ReadPage {
  const lines = text.split('\n').filter((line) => line !== '')
  return { lines: lines.map((line) => ({ text: line, words: [], box: null, confidence: null })) }
}
