import { createHash } from 'node:crypto'
import type { Caller } from '../../tenants/access/caller.ts'
import { OwnedMap } from '../../base/fairness/owned-map.ts'

/** Clients count the same conversation several times before they send it. */
const KEPT_MS = 60_000
const MAX_ENTRIES = 1_000

export type Count = { tokens: number; exact: boolean }

/** Recent counts, per owner. */
export class TokenCache {
  readonly #counts = new OwnedMap<Count & { until: number }>(MAX_ENTRIES)
  readonly #monotonic: () => number

  constructor(monotonic: () => number) {
    this.#monotonic = monotonic
  }

  get size(): number {
    return this.#counts.size
  }

  get(owner: string, key: string): Count | undefined {
    const found = this.#counts.get(owner, key)
    return found && found.until > this.#monotonic() ? found : undefined
  }

  set(owner: string, key: string, count: Count): void {
    this.#counts.set(owner, key, { ...count, until: this.#monotonic() + KEPT_MS })
  }
}

/** The key contains only a digest of the prompt, and owners do not share entries. */
export function cacheKey({ owner, kind }: Caller, model: string, text: string, betas = ''): string {
  return createHash('sha256')
    .update(JSON.stringify([owner, kind, model, betas]))
    .update(text)
    .digest('base64')
}
