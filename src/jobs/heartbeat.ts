type HeartbeatOptions = {
  everyMs: number
  leaseMs: number
  /** Returns whether the lease is still ours. */
  renew(): Promise<boolean>
  lost(): void
  monotonic(): number
}

/** `beat` renews the lease now. */
type Heartbeat = { stop(): void; beat(): void }

/**
 * Keeps a lease alive until stopped. While the store is unavailable, it is unknown who holds the lease. Once the lease must
 * have run out, another worker that reaches the store may hold it, so it counts as lost.
 */
export function openHeartbeat({ everyMs, leaseMs, renew, lost, monotonic }: HeartbeatOptions): Heartbeat {
  let renewedAt = monotonic()
  let isRenewing = false
  const timer = setInterval(beat, everyMs)
  return { stop: () => clearInterval(timer), beat: () => void beat() }

  async function beat() {
    if (isRenewing) return loseWhenOver()
    isRenewing = true
    const startedAt = monotonic()
    try {
      if (await renew()) renewedAt = startedAt
      else lost()
    } catch {
      loseWhenOver()
    } finally {
      isRenewing = false
    }
  }

  function loseWhenOver() {
    if (monotonic() - renewedAt > leaseMs) lost()
  }
}
