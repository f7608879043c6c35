import { Worker } from 'node:worker_threads'
import { problem } from '../contract/problems.ts'
import { capacityFor, FairSemaphore } from '../fairness/fair-semaphore.ts'
import type { Answer, Cancellation, Task } from './counting-worker.ts'

/** What waits is held in memory: as text here, and again in the worker. One owner gets three quarters of it. */
const MAX_WAITING_CHARS = 100_000_000
/** What waits, parsed, and two vocabularies. A worker that needs more is ended, and the next request starts another. */
const MAX_HEAP_MB = 1_024
/** The worker goes from one text to the next in slices, so that who is among few waits for few. */
const AT_ONCE_PER_OWNER = 3
const RETRY_AFTER_SECONDS = 1

/** A text of an owner. Owners share the worker: a long text of one does not keep those of others waiting. */
export type Counted = { text: string; model: string; owner: string }

type Waiting = { resolve(tokens: number): void; reject(error: unknown): void }

const waiting = new Map<number, Waiting>()
const chars = new FairSemaphore({ capacity: MAX_WAITING_CHARS })
const running = new FairSemaphore({ capacity: capacityFor(AT_ONCE_PER_OWNER) })
let worker: Worker | undefined
let nextId = 0

/**
 * How many tokens a request in the messages format has, without asking anybody. Done in a thread of its own, which starts
 * with the first request: the vocabularies take a while to load, and a long text would keep everybody else waiting.
 */
export async function countOffline({ text, model, owner }: Counted, signal: AbortSignal): Promise<number> {
  signal.throwIfAborted()
  const { length } = text
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
    waiting.set(task.id, { resolve, reject })
    worker ??= startWorker()
    // Idle, the worker lets the process end; with somebody waiting for an answer, it does not.
    worker.ref()
    worker.postMessage(task)
  })
}

function startWorker(): Worker {
  // Flags of the main thread, such as --input-type, would keep the worker from loading.
  const started = new Worker(new URL('./counting-worker.ts', import.meta.url), {
    execArgv: [],
    resourceLimits: { maxOldGenerationSizeMb: MAX_HEAP_MB },
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
  started.on('exit', () => forget(reason))
  return started
}

function take(id: number): Waiting | undefined {
  const asker = waiting.get(id)
  waiting.delete(id)
  if (waiting.size === 0) worker?.unref()
  return asker
}

/** The next request starts a new one. */
function forget(reason: unknown): void {
  worker = undefined
  for (const id of [...waiting.keys()]) take(id)?.reject(new Error('The counting thread stopped.', { cause: reason }))
}
