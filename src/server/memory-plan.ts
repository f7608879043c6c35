import { availableParallelism, totalmem } from 'node:os'
import { getHeapStatistics } from 'node:v8'
import type { Config } from '../platform/config/config.ts'
import { MB } from '../base/units/units.ts'

// What this process may use of memory, and how it is divided. Everything whose size callers decide is bounded by a share of one
// number, MEMORY_LIMIT_MB, so that their sum stays below it. docs/memory.md says what each part is.

/** Shares of the limit. The rest is for the program itself: code, catalog, sockets, the database's cache. */
const HEAP = 0.3
const ENGINES = 0.36
const TOKEN_COUNTER = 0.08
const CACHES = 0.03
/** Requests may hold this share of the heap. V8 needs the rest for garbage, and buffers take as much again outside of it. */
const REQUESTS_IN_HEAP = 0.5

/** More would make no document readable that is not readable with this. */
const MAX_ENGINE_THREAD = 1024 * MB
/** With less than this for each of three threads, there are two. */
const ROOMY_ENGINE_THREAD = 384 * MB
/** The least that an engine works with: the program and a page. */
const MIN_ENGINE_THREAD = 88 * MB
const MAX_TOKEN_COUNTER = 1024 * MB
const MAX_CACHES = 512 * MB

type MemoryPlan = {
  /** V8's heap of the main thread. */
  heapBytes: number
  /** What requests may hold (`calls/memory-budget.ts`). */
  requestBytes: number
  engines: { threads: number; threadBytes: number }
  tokenCounterBytes: number
  /** Values that callers and providers choose, kept for later calls. */
  cacheBytes: number
}

type AvailableMemory = { limitBytes: number; heapBytes: number }

export function planMemory({ limitBytes, heapBytes }: AvailableMemory): MemoryPlan {
  const heap = Math.min(heapBytes, limitBytes * HEAP)
  const engineBytes = limitBytes * ENGINES
  const threads = engineBytes < 3 * ROOMY_ENGINE_THREAD ? 2 : 3
  return {
    heapBytes: Math.floor(heap),
    requestBytes: Math.floor(heap * REQUESTS_IN_HEAP),
    engines: { threads, threadBytes: clamped(engineBytes / threads) },
    tokenCounterBytes: Math.floor(Math.min(MAX_TOKEN_COUNTER, limitBytes * TOKEN_COUNTER)),
    cacheBytes: Math.floor(Math.min(MAX_CACHES, limitBytes * CACHES)),
  }
}

/** The plan of one of the processes that this configuration starts. */
export function memoryPlanOf(config: Pick<Config, 'memoryLimitMb' | 'workers'>): MemoryPlan {
  const { heap_size_limit: heapBytes } = getHeapStatistics()
  return planMemory({ limitBytes: limitOf(config), heapBytes })
}

/** What the settings say, or the limit of the cgroup (both versions), or the memory of the machine; shared by all processes. */
function limitOf({ memoryLimitMb, workers }: Pick<Config, 'memoryLimitMb' | 'workers'>): number {
  // The constraint is 0 if there is none, and on some systems larger than any machine's memory.
  const allowed = Math.min(process.constrainedMemory() || totalmem(), totalmem())
  const processes = workers === 'auto' ? availableParallelism() : workers
  return (memoryLimitMb === undefined ? allowed : memoryLimitMb * MB) / processes
}

function clamped(threadBytes: number): number {
  return Math.floor(Math.min(MAX_ENGINE_THREAD, Math.max(MIN_ENGINE_THREAD, threadBytes)))
}
