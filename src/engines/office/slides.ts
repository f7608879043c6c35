import type { TextLimit } from '../text-limit.ts'
import { flowingText } from './flowing-text.ts'
import { relationshipsOf } from './relationships.ts'
import { scanXml } from './scan-xml.ts'
import type { ZipArchive } from './zip-archive.ts'

const MOST_SLIDES = 2_000

/** Slides in the order in which they are shown, each with what its speaker noted. */
export function slidesOf(archive: ZipArchive, main: string, limit: TextLimit): string[] {
  const targets = new Map(relationshipsOf(archive, main).map(({ id, target }) => [id, target]))
  const slides = slideIds(archive.read(main)).flatMap((id) => targets.get(id) ?? [])
  return slides.slice(0, MOST_SLIDES).map((slide) => {
    const notes = relationshipsOf(archive, slide).find(({ type }) => type === 'notesSlide')?.target
    const texts = [slide, ...(notes ? [notes] : [])].map((member) =>
      flowingText(archive.read(member) ?? NOTHING, limit),
    )
    return texts.filter((text) => text !== '').join('\n\n')
  })
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
