import assert from 'node:assert/strict'
import { test } from 'node:test'
import { QuietCollection } from './quiet-collection.ts'
import { MB, SECOND_MS } from '../base/units/units.ts'

const IDLE_MB = 150

test('memory is given back whenever requests stay away after the process has grown', () => {
  const { process, look, after } = started()
  assert.equal(after(24), 0, 'not yet quiet')
  assert.equal(after(2), 1, 'what the start has left behind')
  for (let round = 2; round < 6; round++) {
    process.admissions++
    process.megabytes = 600
    look()
    assert.equal(after(24), round - 1)
    assert.equal(after(2), round)
    assert.equal(after(60), round, 'once for each time that it grows')
  }
})

test('nothing is collected while a request runs, however long it takes', () => {
  const { process, after } = started()
  process.inFlight = 1
  process.megabytes = 600
  assert.equal(after(3_600), 0)
  process.inFlight = 0
  assert.equal(after(24), 0, 'it has just ended')
  assert.equal(after(3), 1)
})

test('requests between two looks are seen, and those that leave little behind cause no collection', () => {
  const { process, look, after } = started()
  after(27)
  process.megabytes = 600
  for (let request = 0; request < 20; request++) {
    process.admissions++
    assert.equal(after(23), 1)
  }
  assert.equal(after(4), 2)
  process.admissions++
  process.megabytes += 31
  look()
  assert.equal(after(60), 2)
})

test('after a collection that has stopped the process for long, requests have to stay away for longer', () => {
  const { process, look, after } = started()
  process.collectionSeconds = 1
  assert.equal(after(26), 1, 'how long it takes is not known before the first one')
  process.admissions++
  process.megabytes = 600
  look()
  assert.equal(after(49), 1)
  process.collectionSeconds = 0.1
  assert.equal(after(2), 2)
  process.admissions++
  process.megabytes = 600
  look()
  assert.equal(after(27), 3)
})

/** A process that returns to its idle size whenever it collects. */
function started() {
  const process = { inFlight: 0, admissions: 0, megabytes: 200, collections: 0, collectionSeconds: 0 }
  let seconds = 0
  const quiet = new QuietCollection(process, {
    monotonic: () => seconds * SECOND_MS,
    residentBytes: () => process.megabytes * MB,
    collect: () => {
      process.collections++
      process.megabytes = IDLE_MB
      seconds += process.collectionSeconds
    },
  })
  quiet.close()
  /** Looks every second, and returns how many collections there were so far. */
  const after = (count: number) => {
    for (const until = seconds + count; seconds < until; ) {
      seconds++
      quiet.look()
    }
    return process.collections
  }
  return { process, look: () => quiet.look(), after }
}
