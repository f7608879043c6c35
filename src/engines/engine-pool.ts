import { Worker } from 'node:worker_threads'
import { type Problem, problem } from '../contract/problems.ts'
import { UpstreamProblem } from '../contract/upstream-problem.ts'
import type { EngineName, Engines, RunEngine } from '../contract/engines.ts'
import type { Answer, Fault, Order } from './engine-worker.ts'

const THREADS = 2
const QUEUE_LIMIT = 64
const USUAL_LIMIT_MS = 20_000
/** Reading a full page of print takes several seconds, on a busy machine many. */
const LIMITS_MS: Partial<Record<EngineName, number>> = {
  picture: 90_000,
  scan: 90_000,
  pdf: 60_000,
  speech: 60_000,
  embeddings: 60_000,
}
const HEAP_LIMIT_MB = 768
/** What stands outside of the heap (buffers, pictures) has no limit of its own: it is looked at. */
const BUFFER_LIMIT_BYTES = 1024 * 1024 * 1024
const LOOK_EVERY_MS = 100
const RETRY_AFTER_SECONDS = 2

export type EnginePool = { run: RunEngine; close(): Promise<void> }

export type PoolOptions = {
  threads?: number
  queueLimit?: number
  limitMs?: number
  /** In bytes. */
  bufferLimit?: number
  /** The file that the threads run; another one in tests. */
  worker?: URL
}

type Piece = Order & { signal: AbortSignal; settled: PromiseWithResolvers<unknown>; leave(): void }
type Thread = { worker: Worker; piece: Piece | undefined; timers: NodeJS.Timeout[] }

/**
 * A few threads, started when there is work, each with one piece at a time. An engine cannot be asked to stop: one that
 * takes too long, or works for somebody who has left, is ended with its thread, and the next piece gets a new one.
 */
export function openEnginePool(options: PoolOptions = {}): EnginePool {
  const { threads: most = THREADS, queueLimit = QUEUE_LIMIT, bufferLimit = BUFFER_LIMIT_BYTES } = options
  const file = options.worker ?? new URL('./engine-worker.ts', import.meta.url)
  const threads = new Set<Thread>()
  const queue: Piece[] = []
  let isClosed = false

  return { run, close }

  function run<Name extends EngineName>(name: Name, input: Engines[Name]['input'], signal: AbortSignal) {
    if (signal.aborted) return Promise.reject(signal.reason)
    if (isClosed || queue.length >= queueLimit) return Promise.reject(atLimit())
    const settled = Promise.withResolvers<unknown>()
    const piece: Piece = { name, input, signal, settled, leave: () => abandon(piece) }
    signal.addEventListener('abort', piece.leave, { once: true })
    queue.push(piece)
    serve()
    return settled.promise as Promise<Engines[Name]['output']>
  }

  function serve() {
    while (queue.length > 0) {
      const thread = idleThread()
      if (!thread) return
      begin(thread, queue.shift()!)
    }
  }

  function idleThread(): Thread | undefined {
    for (const thread of threads) if (!thread.piece) return thread
    return threads.size < most ? startThread() : undefined
  }

  function startThread(): Thread {
    // Flags of the main thread, such as --input-type, would keep the worker from loading.
    const worker = new Worker(file, { execArgv: [], resourceLimits: { maxOldGenerationSizeMb: HEAP_LIMIT_MB } })
    const thread: Thread = { worker, piece: undefined, timers: [] }
    worker.on('message', (answer: Answer) => end(thread, answer))
    worker.on('error', () => replace(thread, crashed()))
    worker.on('exit', () => replace(thread, crashed()))
    threads.add(thread)
    return thread
  }

  function begin(thread: Thread, piece: Piece) {
    thread.piece = piece
    const limitMs = options.limitMs ?? LIMITS_MS[piece.name] ?? USUAL_LIMIT_MS
    const late = setTimeout(() => replace(thread, tooLong(limitMs)), limitMs)
    thread.timers = [late, setInterval(() => void weigh(thread, piece), LOOK_EVERY_MS)]
    thread.worker.ref()
    thread.worker.postMessage({ name: piece.name, input: piece.input } satisfies Order)
  }

  /** A small file can unpack to any size. The answer comes also while the engine is at work, and not when it has ended. */
  async function weigh(thread: Thread, piece: Piece) {
    const memory = await thread.worker.getHeapStatistics().catch(() => undefined)
    const isOver = memory !== undefined && memory.external_memory > bufferLimit
    if (isOver && thread.piece === piece) replace(thread, tooMuch())
  }

  function end(thread: Thread, answer: Answer) {
    // Nobody knows in which state an engine is that failed in a way it does not know itself.
    if ('fault' in answer && answer.fault.kind === 'failed') return replace(thread, toError(answer.fault))
    const piece = release(thread)
    // Idle, a thread lets the process end.
    thread.worker.unref()
    if ('fault' in answer) piece?.settled.reject(toError(answer.fault))
    else piece?.settled.resolve(answer.output)
    serve()
  }

  /** The thread is given up; its piece fails with it, and nobody else's. */
  function replace(thread: Thread, reason: unknown) {
    if (!threads.delete(thread)) return
    void thread.worker.terminate()
    release(thread)?.settled.reject(reason)
    serve()
  }

  function release(thread: Thread): Piece | undefined {
    const { piece } = thread
    for (const timer of thread.timers.splice(0)) clearTimeout(timer)
    thread.piece = undefined
    piece?.signal.removeEventListener('abort', piece.leave)
    return piece
  }

  function abandon(piece: Piece) {
    const waiting = queue.indexOf(piece)
    const thread = [...threads].find((one) => one.piece === piece)
    if (waiting >= 0) queue.splice(waiting, 1)
    if (thread) replace(thread, piece.signal.reason)
    else piece.settled.reject(piece.signal.reason)
  }

  async function close() {
    isClosed = true
    for (const piece of queue.splice(0)) piece.settled.reject(atLimit())
    const workers = [...threads].map(({ worker }) => worker)
    for (const thread of [...threads]) replace(thread, atLimit())
    await Promise.all(workers.map((worker) => worker.terminate()))
  }
}

// None of these says that the engine is ill: it is the input that was too much for it, and a fallback may take it.

function tooLong(limitMs: number) {
  const message = `the engine did not finish within ${limitMs / 1_000} seconds and was stopped`
  return new UpstreamProblem('context_length', message, { status: 422, code: 'engine_time_limit' })
}

function tooMuch() {
  const message = 'this input takes more memory than an engine may have'
  return new UpstreamProblem('context_length', message, { status: 422, code: 'engine_memory_limit' })
}

function crashed() {
  const message = 'the engine broke down over this input and was replaced'
  return new UpstreamProblem('context_length', message, { status: 422, code: 'engine_crashed' })
}

function atLimit() {
  const failure = new UpstreamProblem('rate_limited', 'the engines of this gateway are at their limit')
  failure.retryAfterSeconds = RETRY_AFTER_SECONDS
  return failure
}

function toError(fault: Fault): UpstreamProblem | Problem {
  if (fault.kind === 'missing') {
    const message = `This engine needs the package '${fault.message}', which is not installed here: npm install ${fault.message}`
    return problem('provider_not_configured', { message, param: 'model' })
  }
  if (fault.kind === 'unreadable')
    return new UpstreamProblem('context_length', fault.message, { status: 422, code: 'unreadable_input' })
  return new UpstreamProblem('context_length', `the engine failed: ${fault.message}`, {
    status: 422,
    code: 'engine_failed',
  })
}
