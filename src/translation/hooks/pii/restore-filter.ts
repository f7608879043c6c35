import type { TextFilter } from '../hook.ts'
import type { StepBudget } from '../step-budget.ts'
import { inStreamWork } from '../stream-work.ts'
import { type Placeholders, placeholderBegun } from './placeholders.ts'
import { MAX_FREE_CHARS } from './redact-filter.ts'

/** Restores the values. Only a possible beginning of a placeholder is held back. */
export function restoreFilter(placeholders: Placeholders, streamWork?: StepBudget): TextFilter {
  let buffered = ''
  let changed = false
  return {
    push(text) {
      const all = buffered + text
      const begun = placeholderBegun(all)
      buffered = all.slice(begun)
      return restored(all.slice(0, begun))
    },
    end() {
      return restored(buffered)
    },
    get changed() {
      return changed
    },
  }

  function restored(text: string): string {
    const budget = text.length > MAX_FREE_CHARS ? streamWork : undefined
    const full = inStreamWork(() => placeholders.restore(text, (steps) => budget?.spend(steps)))
    changed ||= full !== text
    return full
  }
}
