import { type TextLimit, textLimit } from '../text-limit.ts'
import { Unreadable } from '../unreadable.ts'
import { flowingText } from './flowing-text.ts'
import { relationshipsOf } from './relationships.ts'
import { sheetsOf } from './sheets.ts'
import { slidesOf } from './slides.ts'
import { ZipArchive } from './zip-archive.ts'

/** What stands around and below the text of a Word document, once each. */
const AROUND = [['header'], [], ['footnotes', 'endnotes', 'footer']]

/** The text of a DOCX, XLSX or PPTX file: one text for a document, else one for each sheet or slide. */
export function readOffice({ bytes }: { bytes: Uint8Array }): { pages: string[] } {
  const archive = new ZipArchive(bytes)
  const main = relationshipsOf(archive, '').find(({ type }) => type === 'officeDocument')?.target ?? ''
  if (!main.endsWith('.xml')) throw new Unreadable('This is no DOCX, XLSX or PPTX file')
  const limit = textLimit()
  if (main.startsWith('xl/')) return { pages: sheetsOf(archive, main, limit) }
  if (main.startsWith('ppt/')) return { pages: slidesOf(archive, main, limit) }
  return { pages: [documentText(archive, main, limit)] }
}

function documentText(archive: ZipArchive, main: string, limit: TextLimit): string {
  const others = relationshipsOf(archive, main)
  const texts = AROUND.flatMap((types) => {
    const members = others.filter(({ type }) => types.includes(type)).map(({ target }) => target)
    return (types.length > 0 ? members : [main]).map((member) => textOf(archive, member, limit))
  })
  return [...new Set(texts)].filter((text) => text !== '').join('\n\n')
}

function textOf(archive: ZipArchive, member: string, limit: TextLimit): string {
  const bytes = archive.read(member)
  return bytes ? flowingText(bytes, limit) : ''
}
