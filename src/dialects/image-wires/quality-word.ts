import type { ImageCall } from '../image-codec.ts'
import type { Notes } from '../notes.ts'

const WORDS: ReadonlyMap<string, string> = new Map([
  ['standard', 'medium'],
  ['hd', 'high'],
])

/** The two old words by their new names; "auto" is silence. */
export function qualityWord({ quality }: ImageCall, notes: Notes): string | undefined {
  if (!quality || quality === 'auto') return undefined
  const word = WORDS.get(quality) ?? quality
  if (word !== quality) notes.translated('quality', `this provider says "${word}" for "${quality}"`)
  return word
}

/** Whether more than the usual is asked for. */
export function isFine({ quality }: ImageCall): boolean {
  return ['hd', 'high', 'xhigh', 'max', 'premium', 'quality'].includes(quality?.toLowerCase() ?? '')
}
