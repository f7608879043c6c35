import { setImmediate } from 'node:timers/promises'
import type { PatternSearch } from './pattern-search.ts'

/** So many characters at a time; then others have their turn. */
const SLICE_CHARS = 1_024

/** Which pattern the text holds, or -1. */
export async function searchText(search: PatternSearch, text: string): Promise<number> {
  search.restart()
  for (let from = 0; from < text.length; from += SLICE_CHARS) {
    const until = Math.min(from + SLICE_CHARS, text.length)
    for (let at = from; at < until; at++) {
      const found = search.next(text.charCodeAt(at))
      if (found >= 0) return found
    }
    if (until < text.length) await setImmediate()
  }
  return search.end()
}

/** The same at once, for texts that are short. */
export function searchShort(search: PatternSearch, text: string): number {
  search.restart()
  for (let at = 0; at < text.length; at++) if (search.next(text.charCodeAt(at)) >= 0) break
  return search.end()
}
