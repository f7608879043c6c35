import type { Share } from './share.ts'
import type { Patience, Refusal } from './share-source.ts'

/** What a call has to take of one share. `slot` says when it was taken, where that matters. */
type Need = { share: Share; missing: number; slot?: number | undefined }

/** Takes everything or nothing, without waiting. */
export function takeNow(needs: readonly Need[]): boolean {
  for (const { share, missing } of needs) if (!share.has(missing)) return false
  for (const need of needs) need.slot = need.share.take(need.missing)
  return true
}

/**
 * Takes everything, after asking the store for what is missing, or nothing. Returns the need that cannot be met. Others may
 * take what was granted while this call waits for another share, so it looks at all shares again in one step.
 */
export async function takeAll<One extends Need>(
  needs: readonly One[],
  patience?: Patience,
): Promise<{ need: One; refusal: Refusal } | undefined> {
  while (!takeNow(needs)) {
    for (const need of needs) {
      const refusal = need.share.has(need.missing) ? undefined : await need.share.fill(need.missing, patience)
      if (refusal) return { need, refusal }
    }
  }
  return undefined
}
