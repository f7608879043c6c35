import type { TextFilter } from '../hook.ts'
import { type Placeholders, placeholderBegun } from './placeholders.ts'

/** Puts the values back. Holds back only what may be the beginning of a placeholder. */
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
