import type { Refusal, Share } from './share.ts'

/** What a call has to take of one share. */
export type Need = { share: Share; missing: number }

/** Takes everything or nothing, without waiting. */
export function takeNow(needs: readonly Need[]): boolean {
  for (const { share, missing } of needs) if (!share.has(missing)) return false
  for (const { share, missing } of needs) share.take(missing)
  return true
}

/**
 * Takes everything, after asking the store for what is missing, or nothing. Returns the need that cannot be met. Others may
 * take what was granted while this call waits for another share, so it looks at all shares again in one step.
 */
export async function takeAll<One extends Need>(
  needs: readonly One[],
): Promise<{ need: One; refusal: Refusal } | undefined> {
  while (!takeNow(needs)) {
    for (const need of needs) {
      const refusal = need.share.has(need.missing) ? undefined : await need.share.fill(need.missing)
      if (refusal) return { need, refusal }
    }
  }
  return undefined
}
