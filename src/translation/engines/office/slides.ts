import type { TextLimit } from '../text/text-limit.ts'
import { flowingText } from './flowing-text.ts'
import { relationshipsOf } from './relationships.ts'
import { scanXml } from './scan-xml.ts'
import type { ZipArchive } from './zip-archive.ts'

const MAX_SLIDES = 2_000

/** The slides in presentation order, each with its speaker notes. */
export async function slidesOf(archive: ZipArchive, main: string, limit: TextLimit): Promise<string[]> {
  const targets = new Map((await relationshipsOf(archive, main)).map(({ id, target }) => [id, target]))
  const slides = slideIds(await archive.read(main)).flatMap((id) => targets.get(id) ?? [])
  const texts: string[] = []
  for (const slide of slides.slice(0, MAX_SLIDES)) texts.push(await slideText(archive, slide, limit))
  return texts
}

async function slideText(archive: ZipArchive, slide: string, limit: TextLimit): Promise<string> {
  const notes = (await relationshipsOf(archive, slide)).find(({ type }) => type === 'notesSlide')?.target
  const texts: string[] = []
  for (const member of notes ? [slide, notes] : [slide])
    texts.push(flowingText((await archive.read(member)) ?? NOTHING, limit))
  return texts.filter((text) => text !== '').join('\n\n')
}

const NOTHING: Uint8Array = new Uint8Array()

function slideIds(bytes = NOTHING): string[] {
  const ids: string[] = []
  scanXml(bytes, {
    open(name, attribute) {
      if (name === 'sldId') ids.push(attribute('r:id') ?? '')
    },
  })
  return ids
}
