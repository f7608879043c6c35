import cluster, { type Worker } from 'node:cluster'
import { once } from 'node:events'
import { setTimeout as sleep } from 'node:timers/promises'
import type { Log } from './log.ts'
import { UsageError } from './usage-error.ts'

// The API processes of this machine. Each opens the port itself, with SO_REUSEPORT, and the kernel spreads connections over
// them. So a process that is killed takes only its own connections with it, and the kernel closes those. (If the primary
// process accepted connections and passed them on, those that are on their way to a process when it dies would stay open
// forever without an answer.)

/** A process that listened for this long did not die of its start. */
const SETTLED_MS = 2_000
const MAX_PAUSE_MS = 30_000
const FIRST_PAUSE_MS = 1_000

type Address = { address: string; port: number }

type Options = { log: Log; started(worker: Worker): void }

export class ApiProcesses {
  readonly #options: Options
  readonly #stopping = new AbortController()

  constructor(options: Options) {
    this.#options = options
  }

  /** Resolves when all processes listen. If a process dies before that, the start fails. */
  async start(count: number): Promise<Address> {
    const workers = Array.from({ length: count }, () => this.#fork())
    const [address] = await Promise.all(workers.map(listeningOrDead))
    for (const worker of workers) void this.#keepUp(worker)
    return address!
  }

  /** The signal tells the processes whether to announce that they stop. */
  async stop(signal: 'SIGTERM' | 'SIGINT'): Promise<void> {
    this.#stopping.abort()
    await Promise.all(Object.values(cluster.workers ?? {}).map((worker) => worker && stopWorker(worker, signal)))
  }

  #fork(): Worker {
    const worker = cluster.fork()
    this.#options.started(worker)
    return worker
  }

  /** Replaces the process whenever it dies: at once, or after a pause that grows if it dies again and again. */
  async #keepUp(first: Worker): Promise<void> {
    const { log } = this.#options
    let [worker, quickDeaths] = [first, 0]
    let listeningSince: number | undefined = performance.now()
    for (;;) {
      const { code, signal } = await exitOf(worker)
      if (this.#stopping.signal.aborted) return
      quickDeaths = hasSettled(listeningSince) ? 0 : quickDeaths + 1
      const [{ pid }, pauseMs] = [worker.process, pauseAfter(quickDeaths)]
      log.error({ pid, code, signal, restart_in_ms: pauseMs }, 'an API process died; starting another')
      if (!(await this.#pause(pauseMs))) return
      worker = this.#fork()
      const isListening = await listeningOrDead(worker).catch(() => undefined)
      listeningSince = isListening && performance.now()
      if (isListening) log.info({ pid: worker.process.pid }, 'an API process was replaced')
    }
  }

  /** Returns false if the gateway is stopped in the meantime. */
  async #pause(ms: number): Promise<boolean> {
    const { signal } = this.#stopping
    await sleep(ms, undefined, { signal }).catch(() => undefined)
    return !signal.aborted
  }
}

function hasSettled(listeningSince: number | undefined): boolean {
  return listeningSince !== undefined && performance.now() - listeningSince > SETTLED_MS
}

/** The first death of a process that had just started may be an accident. */
function pauseAfter(quickDeaths: number): number {
  return quickDeaths < 2 ? 0 : Math.min(MAX_PAUSE_MS, FIRST_PAUSE_MS * 2 ** (quickDeaths - 2))
}

function listeningOrDead(worker: Worker): Promise<Address> {
  return new Promise((resolve, reject) => {
    worker.on('message', (message: { listening?: Address }) => {
      if (message?.listening) resolve(message.listening)
    })
    worker.once('exit', (code) =>
      reject(new UsageError(`An API process exited during startup (code ${code}). Its log has the reason.`)),
    )
  })
}

async function exitOf(worker: Worker): Promise<{ code: number | null; signal: string | null }> {
  if (!worker.isDead()) await once(worker, 'exit')
  return { code: worker.process.exitCode, signal: worker.process.signalCode }
}

async function stopWorker(worker: Worker, signal: 'SIGTERM' | 'SIGINT'): Promise<void> {
  if (worker.isDead()) return
  const exited = once(worker, 'exit')
  worker.process.kill(signal)
  await exited
}
