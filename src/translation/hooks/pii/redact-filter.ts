import type { ScanState } from '../../engine-api/engines.ts'
import type { TextFilter } from '../hook.ts'
import type { LongWork } from '../long-work.ts'
import type { StepBudget } from '../step-budget.ts'
import { inStreamWork } from '../stream-work.ts'
import type { Kind, PersonalData } from './personal-data.ts'
import type { Placeholders } from './placeholders.ts'
import { SCAN_START, scanText } from './scan-text.ts'

/** A longer piece of a stream costs noticeable time and is charged to the budget. */
export const MAX_FREE_CHARS = 8_192
/** Cutting the text, and finding or making the placeholder. */
export const STEPS_PER_MATCH = 50

export type Redaction = { kinds: readonly Kind[]; placeholders: Placeholders; isRestored: boolean }

/**
 * Replaces personal data. Of a text that arrives in pieces, the last word is held back, or everything while digits
 * continue.
 */
export function redactFilter(redaction: Redaction, streamWork?: StepBudget): TextFilter {
  let buffered = ''
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
    const all = buffered + text
    const budget = text.length > MAX_FREE_CHARS ? streamWork : undefined
    const scanned = inStreamWork(() => {
      const { found, ...rest } = scanText(all, { kinds: redaction.kinds, isAll, state, budget })
      budget?.spend(found.length * STEPS_PER_MATCH)
      return { found, ...rest }
    })
    buffered = all.slice(scanned.end)
    state = scanned.state
    changed ||= scanned.found.length > 0
    const replacing = new Replacing(all.slice(0, scanned.end), redaction)
    for (const one of scanned.found) replacing.replace(one)
    return replacing.end()
  }
}

/** The texts in which something was found, with placeholders, by the original ones. */
export async function hiddenIn(
  found: ReadonlyMap<string, readonly PersonalData[]>,
  redaction: Redaction,
  work: LongWork,
): Promise<Map<string, string>> {
  const hidden = new Map<string, string>()
  for (const [text, data] of found)
    if (data.length > 0) hidden.set(text, await withPlaceholders(text, data, redaction, work))
  return hidden
}

/** Replaces findings, which are in the order of the text. Many of them take several turns of the event loop. */
export async function withPlaceholders(
  text: string,
  found: readonly PersonalData[],
  redaction: Redaction,
  work: LongWork,
): Promise<string> {
  const replacing = new Replacing(text, redaction)
  for (const one of found) {
    const turn = work.spend(STEPS_PER_MATCH)
    if (turn) await turn
    replacing.replace(one)
  }
  return replacing.end()
}

/** Builds the text with placeholders. */
class Replacing {
  readonly #text: string
  readonly #redaction: Redaction
  readonly #parts: string[] = []
  #end = 0

  constructor(text: string, redaction: Redaction) {
    this.#text = text
    this.#redaction = redaction
  }

  replace({ kind, start, end }: PersonalData): void {
    const { placeholders, isRestored } = this.#redaction
    const name = placeholders.nameFor(kind, this.#text.slice(start, end), isRestored)
    this.#parts.push(this.#text.slice(this.#end, start), name)
    this.#end = end
  }

  end(): string {
    if (this.#end === 0) return this.#text
    return this.#parts.join('') + this.#text.slice(this.#end)
  }
}
