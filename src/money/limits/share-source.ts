/** Where a share gets its amounts from. */
export type ShareSource = {
  /** How long an amount that was granted may be used, in milliseconds. */
  lifeMs: number
  /** Gives back, and takes between `need` and `want`, or nothing. A share asks or gives back one after the other. */
  ask(request: ShareRequest): Promise<Granted>
  /** May say what the store knows then. */
  giveBack(given: ShareReturn): Promise<Granted | undefined>
  /** Of a rate: when it was used. Otherwise the store learns what was used from ledger lines. */
  uses?: UsesOfShare
}

export type ShareReturn = {
  returned: number
  /** What was granted, is not in use and not given back. */
  unused: number
  /** For how long this process keeps nothing that no call uses. */
  leanMs: number
}

export type ShareRequest = ShareReturn & {
  need: number
  want: number
  /** Asks other processes to give back what they do not use. */
  callsBack: boolean
}

type UsesOfShare = {
  /** Whether the store has been told everything. */
  readonly isEmpty: boolean
  /** Something is used now. Returns when that is, for a correction. */
  add(amount: number): number | undefined
  /** Less was used than was taken then. */
  correct(less: number, slot: number): void
}

export type Granted = {
  granted: number
  /** What the store knows: settled, and held by all processes. */
  spent: number
  leased: number
  /** How long until there is enough; undefined if time alone does not help. */
  waitMs?: number | undefined
  /** What no process holds; undefined if that changes with time alone. */
  room?: number | undefined
  /** Other processes hold enough that they may not use. */
  mayComeBack?: boolean | undefined
  /** Running calls of other processes use enough, and may end at any moment. */
  isInUse?: boolean | undefined
}

/** Why a call did not get what it needs. If `mayComeBack`, that is for now only: others have been asked to give back. */
export type Refusal = Pick<Granted, 'spent' | 'leased' | 'waitMs' | 'isInUse'> & { need: number; mayComeBack: boolean }

/** How long a call may wait for what other processes give back. */
export type Patience = { until: number; signal?: AbortSignal | undefined }

export type ShareClock = { monotonic(): number; pause(ms: number): Promise<unknown> }

/**
 * A call waits for what is there in a moment: clients that keep to a rate exactly come a little too early at times, and what a call at
 * another process has just left is on its way to the store. When that does not help, the next calls are refused at once.
 */
export const SOON_MS = 100

/** It holds until this moment of the monotonic clock. */
export type Remembered = Refusal & { until: number }

type Moments = { now: number; soon: number; until: number }

export function isWorthWaiting(refused: Remembered, { now, soon, until }: Moments): boolean {
  if (refused.mayComeBack) return now < until
  const isSoon = refused.isInUse || (refused.waitMs ?? Number.POSITIVE_INFINITY) <= SOON_MS
  return isSoon && refused.until <= soon
}
