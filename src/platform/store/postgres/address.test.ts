import assert from 'node:assert/strict'
import { test } from 'node:test'
import { readAddress } from './address.ts'

const PLAIN = 'postgres://gatehouse@localhost/db?host=%2Ftmp'

test('a query waits for a connection as long as the code says, or the address, or five seconds', () => {
  const waits = [
    readAddress(PLAIN),
    readAddress(`${PLAIN}&connect_timeout=90`),
    readAddress(`${PLAIN}&connect_timeout=90`, 7),
    readAddress(`${PLAIN}&connect_timeout=9e9`),
  ]
  assert.deepEqual(
    waits.map(({ connectionWaitMs }) => connectionWaitMs),
    [5_000, 90_000, 7, 2 ** 31 - 1],
  )
  for (const nonsense of ['0', '-1', 'x', ''])
    assert.equal(readAddress(`${PLAIN}&connect_timeout=${nonsense}`).connectionWaitMs, 5_000, nonsense)
})

test('a pooler is declared in the address, and the driver does not hear of it', () => {
  const { address, isShared } = readAddress(`${PLAIN}&pgbouncer=true&connect_timeout=90`)
  assert.deepEqual([isShared, address.includes('pgbouncer'), readAddress(PLAIN).isShared], [true, false, false])
})
