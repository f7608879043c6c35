import type { Worker } from 'node:cluster'
import { setTimeout as sleep } from 'node:timers/promises'
import { countersOf, mergeMetrics } from '../platform/telemetry/merge-metrics.ts'

const ANSWER_MS = 1_000
/** What a killed process has counted since the last collection is lost. */
const COLLECT_MS = 5_000

type Answer = { metrics: string }

/** The metrics of all API processes. What a process has counted stays in the sums after its death, so no counter decreases. */
export class ClusterMetrics {
  /** What each living process answered last. */
  readonly #last = new Map<Worker, string>()
  readonly #waiting = new Map<Worker, PromiseWithResolvers<void>>()
  #dead = ''
  readonly #timer = setInterval(() => this.#collect(), COLLECT_MS).unref()

  add(worker: Worker): void {
    this.#last.set(worker, '')
    worker.on('message', (message: unknown) => this.#answered(worker, message))
    // Messages of a process may still arrive after its exit, but none after this.
    worker.once('disconnect', () => this.#ended(worker))
  }

  /** A process that is too busy to answer in time counts with its last answer, so that it does not hold up the reading. */
  async read(own: string): Promise<string> {
    await this.#collect()
    return mergeMetrics([own, this.#dead, ...this.#last.values()])
  }

  close(): void {
    clearInterval(this.#timer)
  }

  async #collect(): Promise<void> {
    const answers = [...this.#last.keys()].map((worker) => this.#ask(worker))
    await Promise.race([Promise.all(answers), sleep(ANSWER_MS, undefined, { ref: false })])
  }

  #ask(worker: Worker): Promise<void> {
    const waiting = this.#waiting.get(worker) ?? Promise.withResolvers<void>()
    this.#waiting.set(worker, waiting)
    // A process that dies now does not get the message. Its end is reported separately.
    worker.send('metrics', () => undefined)
    return waiting.promise
  }

  #answered(worker: Worker, message: unknown): void {
    if (!isAnswer(message)) return
    this.#last.set(worker, message.metrics)
    this.#waiting.get(worker)?.resolve()
    this.#waiting.delete(worker)
  }

  #ended(worker: Worker): void {
    this.#dead = mergeMetrics([this.#dead, countersOf(this.#last.get(worker) ?? '')])
    this.#last.delete(worker)
    this.#waiting.get(worker)?.resolve()
    this.#waiting.delete(worker)
  }
}

function isAnswer(message: unknown): message is Answer {
  return typeof message === 'object' && message !== null && 'metrics' in message && typeof message.metrics === 'string'
}
