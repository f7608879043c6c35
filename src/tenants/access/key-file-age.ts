// How old a file is, on two clocks. The wall clock may have been set back since, which would make the file young again. The time since the
// machine was started never goes back, but means something only until the next start of the machine.

/** `bootId` is empty if the system does not say which start of the machine this is. */
export type Moment = { wallMs: number; bootMs: number; bootId: string }

/** The moment when something was true, and how long it had not been confirmed then. */
export type Stamp = Moment & { ageMs: number }

/** Infinite if the clocks do not say. */
export function ageOf(stamp: Stamp, now: Moment): number {
  const isSameBoot = stamp.bootId !== '' && stamp.bootId === now.bootId
  const passed = isSameBoot ? now.bootMs - stamp.bootMs : now.wallMs - stamp.wallMs
  return passed >= 0 ? stamp.ageMs + passed : Number.POSITIVE_INFINITY
}
