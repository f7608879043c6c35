import type { Span } from '../check.ts'

// A service that returns the rewritten text without saying what it has rewritten.

/** How many words are looked at to find where both texts go on alike. */
const AHEAD = 60
const WORDS = /\s+|[^\s]+/g

/** The words of a text that are not in the rewritten one: what is in no span stands in both texts, in the same order. */
export function changedSpans(text: string, rewritten: string, rule: string): Span[] {
  const [before, after] = [text.match(WORDS) ?? [], rewritten.match(WORDS) ?? []]
  const spans: Span[] = []
  let [here, there, at] = [0, 0, 0]
  while (here < before.length) {
    if (before[here] === after[there]) {
      at += before[here]!.length
      here++
      there++
      continue
    }
    const { skipped, added } = nextAlike(before.slice(here, here + AHEAD), after.slice(there, there + AHEAD))
    const last = skipped === undefined ? before.length : here + skipped
    const changed = before.slice(here, last).join('')
    if (changed.trim() !== '') spans.push({ from: at, to: at + changed.trimEnd().length, rule })
    ;[here, there, at] = [last, there + added, at + changed.length]
  }
  return spans
}

/** The nearest word that is no space and stands in both: how many words are before it. */
function nextAlike(
  before: readonly string[],
  after: readonly string[],
): { skipped: number | undefined; added: number } {
  for (let sum = 0; sum <= 2 * AHEAD; sum++)
    for (let skipped = Math.max(0, sum - after.length + 1); skipped <= Math.min(sum, before.length - 1); skipped++)
      if (before[skipped] === after[sum - skipped] && before[skipped]!.trim() !== '')
        return { skipped, added: sum - skipped }
  return { skipped: undefined, added: after.length }
}
