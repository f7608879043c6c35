import { cannotTake } from '../cannot-take.ts'
import type { ImageInput } from '../image-codec.ts'
import type { Notes } from '../notes.ts'
import type { ImageBytes } from './image-inputs.ts'

/**
 * The mask as the gateway painted it, in the colour that the codec names. A mask without transparency is assumed to be
 * painted already and sent unchanged.
 */
export function paintedMask(mask: ImageInput, provider: string, notes: Notes): ImageBytes {
  if ('url' in mask) throw cannotTake(['mask'], `${provider} needs a repainted mask: send it as a file or a data URL`)
  const { painted } = mask
  if (!painted) throw new Error('a codec that needs painted masks has to name a colour')
  if (painted.kind === 'unreadable')
    throw cannotTake(
      ['mask'],
      `${provider} needs a repainted mask: send a PNG with plain transparency, of up to 4 megapixels`,
    )
  if (painted.kind === 'plain') {
    notes.translated('mask', `it has no transparency: ${provider} redraws what is ${painted.redrawn} in it`)
    return mask
  }
  notes.translated('mask', `${provider} needs a painted mask: transparent areas became ${painted.redrawn}`)
  return { bytes: painted.bytes, mediaType: 'image/png', name: 'mask.png' }
}
