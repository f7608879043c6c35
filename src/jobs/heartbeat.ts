export type HeartbeatOptions = {
  everyMs: number
  leaseMs: number
  /** Says whether the lease is still ours. */
  renew(): Promise<boolean>
  lost(): void
  monotonic(): number
}

/**
 * Keeps a lease alive until stopped. While the store is away nobody can say whose the lease is; once it must have run out,
 * somebody who can reach the store may have it, so it counts as lost.
 */
export function openHeartbeat({ everyMs, leaseMs, renew, lost, monotonic }: HeartbeatOptions): { stop(): void } {
  let renewedAt = monotonic()
  let asking = false
  const timer = setInterval(beat, everyMs)
  return { stop: () => clearInterval(timer) }

  async function beat() {
    if (asking) return loseWhenOver()
    asking = true
    const requestedAt = monotonic()
    try {
      if (await renew()) renewedAt = requestedAt
      else lost()
    } catch {
      loseWhenOver()
    } finally {
      asking = false
    }
  }

  function loseWhenOver() {
    if (monotonic() - renewedAt > leaseMs) lost()
  }
}
