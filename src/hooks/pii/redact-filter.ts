import { setImmediate } from 'node:timers/promises'
import type { TextFilter } from '../hook.ts'
import { nextCut, plainUntil } from './next-cut.ts'
import { findPersonalData, type Kind, type PersonalData } from './personal-data.ts'
import type { Placeholders } from './placeholders.ts'

/** What cannot be cut safely is looked at this far; twice as far as the longest thing that is looked for. */
const WINDOW_CHARS = 1_024
/** What stands before a cut inside a word decides whether something begins behind it. */
const CONTEXT_CHARS = 2
const TURN_CHARS = 16_384

export type Redaction = { kinds: readonly Kind[]; placeholders: Placeholders; isRestored: boolean }

/** Replaces personal data. A text that comes in pieces is held back by a word, or as long as figures go on. */
export function redactFilter(redaction: Redaction): TextFilter {
  let held = ''
  let context = ''
  let changed = false
  return {
    push: (text) => drain(text, false),
    end: () => drain('', true),
    get changed() {
      return changed
    },
  }

  function drain(text: string, isAll: boolean): string {
    const all = held + text
    let [at, passed] = [0, '']
    while (at < all.length) {
      const window = all.slice(at, at + WINDOW_CHARS)
      const plain = plainUntil(window)
      if (plain > 0) {
        passed += window.slice(0, plain)
        context = ''
        at += plain
        continue
      }
      const cut = nextCut(window, isAll && at + window.length === all.length)
      if (cut === undefined && window.length < WINDOW_CHARS) break
      const found = find(window.slice(0, cut))
      const end = cut ?? cutInside(found)
      passed += hide(window.slice(0, end), found)
      context = cut === undefined ? window.slice(end - CONTEXT_CHARS, end) : ''
      at += end
    }
    held = all.slice(at)
    return passed
  }

  function find(part: string): PersonalData[] {
    const shift = context.length
    const spans = findPersonalData(context + part, redaction.kinds).filter(({ start }) => start >= shift)
    return spans.map(({ kind, start, end }) => ({ kind, start: start - shift, end: end - shift }))
  }

  function hide(part: string, found: readonly PersonalData[]): string {
    const whole = found.filter((one) => one.end <= part.length)
    changed ||= whole.length > 0
    return withPlaceholders(part, whole, redaction)
  }
}

/** What was found, in the order of the text, replaced. */
export function withPlaceholders(text: string, found: readonly PersonalData[], redaction: Redaction): string {
  let [end, hidden] = [0, '']
  for (const one of found) {
    const name = redaction.placeholders.nameFor(one.kind, text.slice(one.start, one.end), redaction.isRestored)
    hidden += text.slice(end, one.start) + name
    end = one.end
  }
  return hidden + text.slice(end)
}

/** A short text, redacted. */
export function redacted(text: string, redaction: Redaction): string {
  const filter = redactFilter(redaction)
  const passed = filter.push(text)
  return passed + filter.end()
}

/** The same for texts of any length: others have their turn in between. */
export async function redactedInTurns(text: string, redaction: Redaction): Promise<string> {
  const filter = redactFilter(redaction)
  let passed = ''
  for (let at = 0; at < text.length; at += TURN_CHARS) {
    if (at > 0) await setImmediate()
    passed += filter.push(text.slice(at, at + TURN_CHARS))
  }
  return passed + filter.end()
}

/** In the middle, but never through something that was found. */
function cutInside(found: readonly PersonalData[]): number {
  const middle = WINDOW_CHARS / 2
  return found.find(({ start, end }) => start < middle && end > middle)?.end ?? middle
}
