import assert from 'node:assert/strict'
import { test } from 'node:test'
import { slowMigrations } from './slow-migrations.ts'

test('a migration that takes a while is logged, and a quick one is not', (context) => {
  context.mock.timers.enable({ apis: ['setTimeout'] })
  const lines: unknown[] = []
  const { applying, stop } = slowMigrations({ info: (fields: unknown) => void lines.push(fields) })
  applying(8, 10)
  context.mock.timers.tick(1_999)
  applying(9, 10)
  context.mock.timers.tick(60_000)
  applying(10, 10)
  stop()
  context.mock.timers.tick(60_000)
  assert.deepEqual(lines, [{ migration: 9, newest: 10 }])
})
