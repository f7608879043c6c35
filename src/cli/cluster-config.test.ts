import assert from 'node:assert/strict'
import type { Worker } from 'node:cluster'
import { EventEmitter } from 'node:events'
import { describe, test } from 'node:test'
import { ConfigError } from '../platform/config/config-error.ts'
import { workersOf } from './cluster-config.ts'

const FILE = { path: '/etc/gatehouse.config.json', content: {} }

/** A worker that answers what the primary process asks, and notes it. */
class FakeWorker extends EventEmitter {
  readonly asked: string[] = []
  readonly process = { kill: (signal: string) => this.asked.push(signal) }
  readonly #answer: (ask: string) => unknown

  constructor(answer: (ask: string) => unknown) {
    super()
    this.#answer = answer
  }

  send({ ask, number }: { ask: string; number: number }): boolean {
    this.asked.push(ask)
    const answer = this.#answer(ask)
    if (answer === 'dies') setImmediate(() => this.emit('exit'))
    else setImmediate(() => this.emit('message', { number, answer }))
    return true
  }

  isDead(): boolean {
    return this.#answer('prepare') === 'dies'
  }
}

describe('the workers of a cluster', () => {
  test('use a file if all of them accept it', async () => {
    const workers = [willing(), willing()]
    const { count, commit } = await othersOf(workers).prepare(FILE)
    await commit()
    assert.equal(count, 2)
    for (const { asked } of workers) assert.deepEqual(asked, ['prepare', 'commit'])
  })

  test('use it nowhere if one of them refuses it', async () => {
    const workers = [willing(), new FakeWorker((ask) => (ask === 'prepare' ? 'regions.x: no such provider' : true))]
    await assert.rejects(othersOf(workers).prepare(FILE), new ConfigError('regions.x: no such provider'))
    for (const { asked } of workers) assert.deepEqual(asked, ['prepare'])
  })

  test('do not wait for one that dies; one that started meanwhile gets the file too', async () => {
    const workers = [willing(), new FakeWorker(() => 'dies')]
    const { count, commit } = await othersOf(workers).prepare(FILE)
    const late = willing()
    workers[1] = late
    await commit()
    assert.equal(count, 1)
    assert.deepEqual(late.asked, ['prepare', 'commit'])
  })

  test('are replaced if they end before they use it', async () => {
    const worker = new FakeWorker((ask) => (ask === 'prepare' ? '' : 'dies'))
    const { commit } = await othersOf([worker]).prepare(FILE)
    await commit()
    assert.deepEqual(worker.asked, ['prepare', 'commit', 'SIGKILL'])
  })
})

function willing(): FakeWorker {
  return new FakeWorker((ask) => (ask === 'prepare' ? '' : true))
}

function othersOf(workers: FakeWorker[]) {
  return workersOf(() => workers as unknown as Worker[])
}
