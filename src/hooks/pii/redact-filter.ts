import type { ScanState } from '../../engine-api/engines.ts'
import type { TextFilter } from '../hook.ts'
import type { StepBudget } from '../step-budget.ts'
import { inStreamWork } from '../stream-work.ts'
import type { Kind, PersonalData } from './personal-data.ts'
import type { Placeholders } from './placeholders.ts'
import { SCAN_START, scanText } from './scan-text.ts'

/** A longer piece of a stream costs noticeable time and is charged to the budget. */
const MAX_FREE_CHARS = 8_192

export type Redaction = { kinds: readonly Kind[]; placeholders: Placeholders; isRestored: boolean }

/**
 * Replaces personal data. Of a text that arrives in pieces, the last word is held back, or everything while digits
 * continue.
 */
export function redactFilter(redaction: Redaction, streamWork?: StepBudget): TextFilter {
  let held = ''
  let state: ScanState = SCAN_START
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
    const budget = text.length > MAX_FREE_CHARS ? streamWork : undefined
    const scanned = inStreamWork(() => scanText(all, { kinds: redaction.kinds, isAll, state, budget }))
    held = all.slice(scanned.end)
    state = scanned.state
    changed ||= scanned.found.length > 0
    return withPlaceholders(all.slice(0, scanned.end), scanned.found, redaction)
  }
}

/** Replaces findings, which are in the order of the text. */
export function withPlaceholders(text: string, found: readonly PersonalData[], redaction: Redaction): string {
  let [end, hidden] = [0, '']
  for (const one of found) {
    const name = redaction.placeholders.nameFor(one.kind, text.slice(one.start, one.end), redaction.isRestored)
    hidden += text.slice(end, one.start) + name
    end = one.end
  }
  return hidden + text.slice(end)
}
