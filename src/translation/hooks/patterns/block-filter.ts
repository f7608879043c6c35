import type { TextFilter } from '../hook.ts'
import { inStreamWork } from '../stream-work.ts'
import type { PatternSearch } from './pattern-search.ts'

/** At most this much is held back: an open-ended pattern (`a.*b`) may begin anywhere and end nowhere. */
const MAX_HELD_CHARS = 2_000

/** Lets a text pass, except for what may be the beginning of a match. */
export function blockFilter(search: PatternSearch, onFound: (found: number) => void): TextFilter {
  let buffered = ''
  return {
    push(text) {
      const quietAt = buffered.length + inStreamWork(() => lastQuiet(text))
      buffered += text
      return release(Math.max(quietAt, buffered.length - MAX_HELD_CHARS))
    },
    end() {
      report(inStreamWork(() => search.end()))
      return release(buffered.length)
    },
    changed: false,
  }

  /** The position up to which no match is pending. Negative positions are in the text that is held back. */
  function lastQuiet(text: string): number {
    let quiet = -buffered.length
    for (let at = 0; at < text.length; at++) {
      report(search.next(text.charCodeAt(at)))
      if (search.isQuiet) quiet = at + 1
    }
    return quiet
  }

  function report(found: number): void {
    if (found >= 0) onFound(found)
  }

  function release(until: number): string {
    const passed = buffered.slice(0, until)
    buffered = buffered.slice(until)
    return passed
  }
}

/** Lets everything pass at once and only reports matches. */
export function flagFilter(search: PatternSearch, onFound: (found: number) => void): TextFilter {
  let found = -1
  const tell = (one: number) => {
    if (one >= 0 && found < 0) onFound(one)
    found = Math.max(found, one)
  }
  return {
    push(text) {
      inStreamWork(() => {
        for (let at = 0; at < text.length && found < 0; at++) tell(search.next(text.charCodeAt(at)))
      })
      return text
    },
    end() {
      tell(inStreamWork(() => search.end()))
      return ''
    },
    changed: false,
  }
}
