/**
 * The store cannot answer now: unreachable, timed out, busy, full or closed. Trying again later may succeed.
 * It reaches logs and callers, so it carries no cause: drivers put hosts, paths and users into theirs.
 */
export class StoreUnavailable extends Error {
  override readonly name = 'StoreUnavailable'
}

/** No waiting heals it: somebody has to put another file in its place. */
export class StoreDamaged extends StoreUnavailable {}
