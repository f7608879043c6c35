import assert from 'node:assert/strict'
import { test } from 'node:test'
import { setTimeout } from 'node:timers/promises'
import { collectGarbage } from '../fakes/collect-garbage.ts'
import { gatewayForAll } from '../gateway/gateway-with-fakes.ts'
import { holdBack } from '../gateway/slow-readers.ts'
import { MB } from '../../src/base/units/units.ts'

// Complete collections of garbage take seconds in a process that runs many tests, so this is not a part of `npm test`.

const setup = await gatewayForAll()

const SLOW_READERS = 4
const MAX_OWN_BYTES_PER_STREAM = 2 * MB
const BETWEEN_LOOKS_MS = 20

/** How often memory is measured, and which value is low enough to stop. */
type Looking = { looks: number; enough?: number }

test('our memory does not grow while slow readers hold their providers back', async () => {
  // The first round creates everything that is created once and kept.
  await holdBack(setup, 1)
  const before = await leastMemory({ looks: 2 })
  const max = before + SLOW_READERS * MAX_OWN_BYTES_PER_STREAM
  let held = Number.POSITIVE_INFINITY
  await holdBack(setup, SLOW_READERS, async () => {
    held = await leastMemory({ looks: 20, enough: max })
  })
  assert.ok(held < max, `${held - before} bytes more in memory`)
})

/**
 * The memory that the whole process holds. The fake and the clients are in it too, so the gateway's share is less. One
 * collection does not find everything, and work in progress counts too: memory that is really held is there every time.
 */
async function leastMemory({ looks, enough = 0 }: Looking): Promise<number> {
  let least = Number.POSITIVE_INFINITY
  for (let look = 0; look < looks && least >= enough; look++) {
    await collectGarbage()
    const { heapUsed, external } = process.memoryUsage()
    least = Math.min(least, heapUsed + external)
    await setTimeout(BETWEEN_LOOKS_MS)
  }
  return least
}
