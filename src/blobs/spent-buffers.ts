/**
 * What comes from a socket lies outside of V8's heap, and weighs nothing there: V8 lets 80 to 115 MB of chunks that nobody
 * needs any more pile up before it looks. Measured with ten images of 4 MB at once, drawn and sent along:
 *
 *     look after   growth       CPU of an image   one look, CPU: p50, p99
 *     never        79–117 MB    27–84 ms          –
 *     16 MB        30–49 MB     13–55 ms          –
 *     8 MB         34–49 MB     12–60 ms          0.4 ms, 7 ms
 *     4 MB         30–44 MB     13–60 ms          0.5 ms, 4 ms
 */
const LOOK_AFTER_BYTES = 4 * 1024 * 1024

let unseenBytes = 0
let hasLooked = false

/** To be told of large bytes that are done with. Does something only with --expose-gc, which bin/node-options.js sets. */
export function spent(bytes: number): void {
  unseenBytes += bytes
  if (unseenBytes < LOOK_AFTER_BYTES) return
  unseenBytes = 0
  if (hasLooked) globalThis.gc?.({ type: 'minor', execution: 'sync' })
  else leaveStartBehind()
  hasLooked = true
}

/**
 * Loading 1,200 modules blows up the room for V8's young objects, which stays so: a gateway that never sees large bytes may
 * keep it. 80 ms, or 140 of CPU in all threads, give 34 of 155 MB back.
 */
function leaveStartBehind(): void {
  globalThis.gc?.({ type: 'major', flavor: 'last-resort', execution: 'sync' })
}
