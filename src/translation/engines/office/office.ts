import { type TextLimit, textLimit } from '../text/text-limit.ts'
import { Unreadable } from '../pool/unreadable.ts'
import { flowingText } from './flowing-text.ts'
import { relationshipsOf } from './relationships.ts'
import { sheetsOf } from './sheets.ts'
import { slidesOf } from './slides.ts'
import { ZipArchive } from './zip-archive.ts'

/** Headers, footers and notes of a Word document, once each. */
const AROUND = [['header'], [], ['footnotes', 'endnotes', 'footer']]

/** The text of a DOCX, XLSX or PPTX file: one text for a document, or one per sheet or slide. */
export async function readOffice({ bytes }: { bytes: Uint8Array }): Promise<{ pages: string[] }> {
  const archive = await ZipArchive.open(bytes)
  const main = (await relationshipsOf(archive, '')).find(({ type }) => type === 'officeDocument')?.target ?? ''
  if (!main.endsWith('.xml')) throw new Unreadable('This is not a DOCX, XLSX or PPTX file')
  const limit = textLimit()
  if (main.startsWith('xl/')) return { pages: await sheetsOf(archive, main, limit) }
  if (main.startsWith('ppt/')) return { pages: await slidesOf(archive, main, limit) }
  return { pages: [await documentText(archive, main, limit)] }
}

async function documentText(archive: ZipArchive, main: string, limit: TextLimit): Promise<string> {
  const others = await relationshipsOf(archive, main)
  const members = AROUND.flatMap((types) =>
    types.length > 0 ? others.filter(({ type }) => types.includes(type)).map(({ target }) => target) : [main],
  )
  const texts = new Set<string>()
  for (const member of members) texts.add(await textOf(archive, member, limit))
  texts.delete('')
  return [...texts].join('\n\n')
}

async function textOf(archive: ZipArchive, member: string, limit: TextLimit): Promise<string> {
  const bytes = await archive.read(member)
  return bytes ? flowingText(bytes, limit) : ''
}
