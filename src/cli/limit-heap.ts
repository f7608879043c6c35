import cluster from 'node:cluster'
import { getHeapStatistics } from 'node:v8'
import type { Config } from '../platform/config/config.ts'
import { memoryPlanOf } from '../server/memory-plan.ts'
import { MB } from '../base/units/units.ts'

/** V8 has three spaces of this size for objects that were just made. By default they take 192 MB. */
const SEMI_SPACE_MB = 16
const YOUNG_MB = 3 * SEMI_SPACE_MB

/**
 * Gives V8 the limit of the heap that the memory limit allows, if V8 would choose more. V8 reads it only when a process starts,
 * so this process is replaced by one that has it; API processes that it forks are started with it. An operator who has set the
 * option keeps it, and a process with an IPC channel, or on Windows, cannot be replaced.
 */
export function limitHeap(config: Config): void {
  const { heapBytes } = memoryPlanOf(config)
  if (getHeapStatistics().heap_size_limit <= heapBytes || isSet(config)) return
  const oldMb = Math.max(YOUNG_MB, Math.floor(heapBytes / MB) - YOUNG_MB)
  const limits = [`--max-old-space-size=${oldMb}`, `--max-semi-space-size=${SEMI_SPACE_MB}`]
  const options = [...process.execArgv, ...limits]
  if (config.workers !== 1) cluster.setupPrimary({ execArgv: options })
  else if (process.execve && !process.channel && process.platform !== 'win32')
    process.execve(process.execPath, [process.execPath, ...options, ...process.argv.slice(1)])
}

function isSet({ source }: Config): boolean {
  const options = [...process.execArgv, source.environment.NODE_OPTIONS ?? '']
  return options.some((option) => option.includes('max-old-space-size') || option.includes('max_old_space_size'))
}
