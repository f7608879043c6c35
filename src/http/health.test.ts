import assert from 'node:assert/strict'
import { test } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { Health } from './health.ts'

test('a loop that is late for long sheds load, and stops when it is on time again', async (t) => {
  const health = new Health({ maxLatenessMs: 50 })
  t.after(() => health.drain())
  health.start()
  assert.equal(health.admit('busy'), true)
  block(600)
  while (health.admit('busy')) await sleep(10)
  assert.equal(health.admit('quiet'), true, 'an owner that did not cause it is admitted')
  while (!health.admit('busy')) await sleep(10)
  assert.ok(health.lateness < 50)
})

test('as many of an owner as may be in flight are taken, and no more; another owner has its own', async (t) => {
  const health = new Health({ maxInFlight: 2, maxLatenessMs: Number.POSITIVE_INFINITY })
  t.after(() => health.drain())
  assert.deepEqual([health.admit('a'), health.admit('a'), health.admit('a')], [true, true, false])
  assert.equal(health.admit('b'), true)
  health.dismiss('b')
  health.dismiss('a')
  assert.equal(health.admit('a'), true)
})

test('a process that is told to stop while it starts does not become ready', async (t) => {
  const health = new Health()
  t.after(() => health.drain())
  health.leave()
  health.start()
  assert.equal(health.ready, false)
})

function block(ms: number) {
  const until = performance.now() + ms
  while (performance.now() < until);
}
