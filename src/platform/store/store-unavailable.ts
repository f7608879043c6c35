/**
 * The store cannot answer now: it is unreachable, too slow, busy, full or closed. A later try may succeed. This error
 * reaches logs and callers, so it carries no cause: drivers put hosts, paths and users into theirs.
 */
export class StoreUnavailable extends Error {
  override readonly name = 'StoreUnavailable'
}

/** A newer version of the program has changed the database, and this version does not know it. */
export class StoreTooNew extends Error {
  override readonly name = 'StoreTooNew'
}

/** Waiting does not help: an operator has to replace the file. */
export class StoreDamaged extends StoreUnavailable {}
