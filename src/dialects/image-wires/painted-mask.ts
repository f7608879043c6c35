import { cannotTake } from '../cannot-take.ts'
import type { ImageInput } from '../image-codec.ts'
import type { Notes } from '../notes.ts'
import type { ImageBytes } from './image-inputs.ts'

/**
 * The mask as the house had it painted, in the colour that the face names. One without transparency is taken for one that
 * is painted already, and travels as it is.
 */
export function paintedMask(mask: ImageInput, provider: string, notes: Notes): ImageBytes {
  if ('url' in mask) throw cannotTake(['mask'], `${provider} gets a repainted mask: send it as a file or a data URL`)
  const { painted } = mask
  if (!painted) throw new Error('a face that wants painted masks says in which colour')
  if (painted.kind === 'unreadable')
    throw cannotTake(
      ['mask'],
      `${provider} gets a repainted mask: send a PNG with plain transparency, of up to 4 megapixels`,
    )
  if (painted.kind === 'plain') {
    notes.translated('mask', `it has no transparency: ${provider} takes what is ${painted.redrawn} in it`)
    return mask
  }
  notes.translated('mask', `${provider} wants it painted: what was transparent became ${painted.redrawn}`)
  return { bytes: painted.bytes, mediaType: 'image/png', name: 'mask.png' }
}
