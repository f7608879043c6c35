import type { ImageCall } from '../image-codec.ts'
import type { Notes } from '../notes.ts'

const WORDS: ReadonlyMap<string, string> = new Map([
  ['standard', 'medium'],
  ['hd', 'high'],
])

/** Translates the two old values to the new ones; "auto" is sent as no value. */
export function qualityWord({ quality }: ImageCall, notes: Notes): string | undefined {
  if (!quality || quality === 'auto') return undefined
  const word = WORDS.get(quality) ?? quality
  if (word !== quality) notes.translated('quality', `"${word}" is this provider's value for "${quality}"`)
  return word
}

/** Whether more than standard quality is requested. */
export function isFine({ quality }: ImageCall): boolean {
  return ['hd', 'high', 'xhigh', 'max', 'premium', 'quality'].includes(quality?.toLowerCase() ?? '')
}
