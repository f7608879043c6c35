import { MB } from '../../base/units/units.ts'

/**
 * Data from sockets is outside of V8's heap and does not count there, so V8 lets 80 to 115 MB of unused chunks pile up
 * before it collects them. Measured with ten concurrent images of 4 MB, generated and sent as input:
 *
 *     collect after   growth       CPU of an image   one collection, CPU: p50, p99
 *     never           79–117 MB    27–84 ms          –
 *     16 MB           30–49 MB     13–55 ms          –
 *     8 MB            34–49 MB     12–60 ms          0.4 ms, 7 ms
 *     4 MB            30–44 MB     13–60 ms          0.5 ms, 4 ms
 */
const COLLECT_AFTER_BYTES = 4 * MB

let unusedBytes = 0

/**
 * Reports that large buffers are no longer used. It has an effect only with --expose-gc, which bin/node-options.js sets.
 */
export function spent(bytes: number): void {
  unusedBytes += bytes
  if (unusedBytes < COLLECT_AFTER_BYTES) return
  unusedBytes = 0
  globalThis.gc?.({ type: 'minor', execution: 'sync' })
}
