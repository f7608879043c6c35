import assert from 'node:assert/strict'
import { type TestContext, test } from 'node:test'
import { Health, PULSE_MS } from './health.ts'

test('a loop that its own work makes late for long sheds load, and stops when it is on time again', (t) => {
  const { health, pulse } = simulated(t)
  assert.equal(health.admit('busy'), true)
  for (let pulses = 0; pulses < 5; pulses++) pulse({ tookMs: 2_000, ofItCpuMs: 2_000 })
  assert.equal(health.admit('busy'), false)
  assert.equal(health.admit('quiet'), true, 'an owner that did not cause it is admitted')
  for (let pulses = 0; pulses < 20; pulses++) pulse({ tookMs: PULSE_MS, ofItCpuMs: 1 })
  assert.equal(health.admit('busy'), true)
})

test('a loop that is late because the machine gives it no processor accepts everything, and shows that it is late', (t) => {
  const { health, pulse } = simulated(t)
  for (let pulses = 0; pulses < 20; pulses++) {
    pulse({ tookMs: 700, ofItCpuMs: 10 })
    assert.equal(health.admit('only'), true)
    health.dismiss('only')
  }
  assert.ok(health.lateness > 400)
})

test('a loop that has too much to do sheds load on a machine that gives it half a processor', (t) => {
  const { health, pulse } = simulated(t)
  assert.equal(health.admit('only'), true)
  for (let pulses = 0; pulses < 5; pulses++) pulse({ tookMs: 2_000, ofItCpuMs: 1_000 })
  assert.equal(health.admit('only'), false)
})

function simulated(t: TestContext) {
  t.mock.timers.enable({ apis: ['setInterval'] })
  let [now, cpu] = [0, 0]
  const health = new Health({ clock: () => now, cpuTime: () => cpu })
  health.start()
  const pulse = ({ tookMs, ofItCpuMs }: { tookMs: number; ofItCpuMs: number }) => {
    now += tookMs
    cpu += ofItCpuMs
    t.mock.timers.tick(PULSE_MS)
  }
  return { health, pulse }
}

test('as many of an owner as may be in flight are taken, and no more; another owner has its own', async (t) => {
  const health = new Health({ maxInFlight: 2, maxBacklogMs: Number.POSITIVE_INFINITY })
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
