import type { Verdict } from '../../translation/guardrails/check.ts'
import type { Part } from '../../translation/guardrails/parts.ts'
import { GuardFailure } from './guard-failure.ts'

/** How many requests of one check run at the same time, and how many it may need in all. */
const MAX_AT_ONCE = 8
const MAX_PARTS = 400

/** Asks about all parts, some at a time. The first failure is the failure of all. */
export async function askParts(parts: readonly Part[], ask: (part: Part) => Promise<Verdict>): Promise<Verdict[]> {
  if (parts.length > MAX_PARTS) throw new GuardFailure('too_long', 'the texts are too long for this check')
  const verdicts: Verdict[] = []
  let next = 0
  const work = async () => {
    while (next < parts.length) {
      const at = next++
      verdicts[at] = await ask(parts[at]!).catch((error) => {
        next = parts.length
        throw error
      })
    }
  }
  await Promise.all(Array.from({ length: Math.min(MAX_AT_ONCE, parts.length) }, work))
  return verdicts
}
