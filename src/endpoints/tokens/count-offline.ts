import { Worker } from 'node:worker_threads'
import { problem } from '../../contract/problems.ts'
import { capacityFor, FairSemaphore } from '../../base/fairness/fair-semaphore.ts'
import type { Answer, Cancellation, Task } from './counting-worker.ts'
import { MB } from '../../base/units/units.ts'

/** What the worker's heap takes for each character of a waiting text, parsed: texts are in memory here and again in the worker. */
const HEAP_BYTES_PER_CHAR = 10
/** Two vocabularies. */
const VOCABULARY_BYTES = 64 * MB
const YOUNG_MB = 24
const DEFAULT_BYTES = 1024 * MB
/** The worker alternates between texts in slices, so that a short queue means a short wait. */
const AT_ONCE_PER_OWNER = 3
const RETRY_AFTER_SECONDS = 1
/** How long the worker is kept without a text to count: its vocabularies take most of its memory. */
const IDLE_WORKER_MS = 300_000

/** A text of an owner. Owners share the worker: a long text of one owner does not delay the texts of others. */
type Counted = { text: string; model: string; owner: string }

type Waiting = { resolve(tokens: number): void; reject(error: unknown): void }

const waiting = new Map<number, Waiting>()
let heapBytes = DEFAULT_BYTES
let chars = new FairSemaphore({ capacity: charsWithin(heapBytes) })
const running = new FairSemaphore({ capacity: capacityFor(AT_ONCE_PER_OWNER) })
let worker: Worker | undefined
let idle: NodeJS.Timeout | undefined
let nextId = 0

/** Before the first text is counted. A worker that needs more is ended, and the next request starts another. */
export function limitTokenCounter(bytes: number): void {
  heapBytes = Math.max(bytes, 2 * VOCABULARY_BYTES)
  chars = new FairSemaphore({ capacity: charsWithin(heapBytes) })
}

/** One owner may use three quarters of it. */
function charsWithin(bytes: number): number {
  return Math.floor((bytes - VOCABULARY_BYTES) / HEAP_BYTES_PER_CHAR)
}

/**
 * Counts the tokens of a request in the messages format without a provider, in a worker thread that starts with the first
 * request: loading the vocabularies takes a while, and a long text would block the event loop.
 */
export async function countOffline({ text, model, owner }: Counted, signal: AbortSignal): Promise<number> {
  signal.throwIfAborted()
  const { length } = text
  if (length > chars.capacity)
    throw problem('too_large', { message: 'This text is too long to count its tokens here.' })
  if (!chars.tryAcquire(owner, length)) throw problem('overloaded', { retryAfterSeconds: RETRY_AFTER_SECONDS })
  try {
    await running.acquire(owner, 1, signal)
    return await countNow(text, model, signal).finally(() => running.release(owner))
  } finally {
    chars.release(owner, length)
  }
}

async function countNow(text: string, model: string, signal: AbortSignal): Promise<number> {
  const id = nextId++
  const leave = () => worker?.postMessage({ id, cancelled: true } satisfies Cancellation)
  signal.addEventListener('abort', leave, { once: true })
  try {
    return await ask({ id, text, model })
  } finally {
    signal.removeEventListener('abort', leave)
    signal.throwIfAborted()
  }
}

function ask(task: Task): Promise<number> {
  return new Promise((resolve, reject) => {
    clearTimeout(idle)
    waiting.set(task.id, { resolve, reject })
    worker ??= startWorker()
    // An idle worker lets the process end; a worker with waiting requests does not.
    worker.ref()
    worker.postMessage(task)
  })
}

function startWorker(): Worker {
  // Flags of the main thread, such as --input-type, would keep the worker from loading.
  const started = new Worker(new URL('./counting-worker.ts', import.meta.url), {
    execArgv: [],
    resourceLimits: { maxOldGenerationSizeMb: Math.floor(heapBytes / 1024 / 1024), maxYoungGenerationSizeMb: YOUNG_MB },
  })
  started.on('message', (answer: Answer) => {
    const asker = take(answer.id)
    if ('tokens' in answer) asker?.resolve(answer.tokens)
    else asker?.reject(new Error(`The tokens could not be counted: ${answer.fault}`))
  })
  let reason: unknown
  started.on('error', (error) => {
    reason = error
  })
  started.on('exit', () => {
    if (worker === started) forget(reason)
  })
  return started
}

function take(id: number): Waiting | undefined {
  const asker = waiting.get(id)
  if (waiting.delete(id) && waiting.size === 0) rest()
  return asker
}

function rest(): void {
  worker?.unref()
  clearTimeout(idle)
  idle = setTimeout(endWorker, IDLE_WORKER_MS).unref()
}

/** A text that is being counted would never be answered. */
function endWorker(): void {
  if (waiting.size > 0) return
  void worker?.terminate()
  worker = undefined
}

/** Drops the worker; the next request starts a new one. */
function forget(reason: unknown): void {
  worker = undefined
  for (const id of [...waiting.keys()]) take(id)?.reject(new Error('The counting thread stopped.', { cause: reason }))
}
