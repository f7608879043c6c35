import type { TextFilter } from '../hook.ts'
import { type Placeholders, placeholderBegun } from './placeholders.ts'

/** Restores the values. Only a possible beginning of a placeholder is held back. */
export function restoreFilter(placeholders: Placeholders): TextFilter {
  let held = ''
  let changed = false
  return {
    push(text) {
      const all = held + text
      const begun = placeholderBegun(all)
      held = all.slice(begun)
      return restored(all.slice(0, begun))
    },
    end() {
      return restored(held)
    },
    get changed() {
      return changed
    },
  }

  function restored(text: string): string {
    const full = placeholders.restore(text)
    changed ||= full !== text
    return full
  }
}
