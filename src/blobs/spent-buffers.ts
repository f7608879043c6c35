/**
 * What comes from a socket lies outside of V8's heap, and weighs nothing there: V8 lets 60 MB of chunks that nobody needs
 * any more pile up before it looks. A look at the young ones takes a millisecond or two.
 */
const LOOK_AFTER_BYTES = 4 * 1024 * 1024

let unseenBytes = 0

/** To be told of large bytes that are done with. Does something where bin/gatehouse.js, or a flag of Node, allows it. */
export function spent(bytes: number): void {
  unseenBytes += bytes
  if (unseenBytes < LOOK_AFTER_BYTES) return
  unseenBytes = 0
  globalThis.gc?.({ type: 'minor', execution: 'sync' })
}
