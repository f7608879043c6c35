import { execFileSync } from 'node:child_process'
import { readFile } from 'node:fs/promises'
import { setTimeout as sleep } from 'node:timers/promises'
import { V8_OPTIONS } from '../../bin/node-options.js'
import { STREAMED_FILE_BYTES } from '../../src/calls/memory-budget.ts'
import type { GatewayProcess } from './gateway-process.ts'
import { MB } from '../../src/base/units/units.ts'

const LOOK_MS = 5
/** The buffers of a request's sockets: bytes that are read but not parsed yet, and written but not sent yet. */
const SOCKETS_MB = 1
/** The share of the heap limit (src/calls/memory-budget.ts). */
const BUDGET = 0.5
/** V8 collects when this much garbage is outside of its heap. */
const GARBAGE_MB = 64

type Load = { idleMb: number; requests: number }

/** What docs/memory.md promises for a process with this `--max-old-space-size`, without its threads. */
export function residentBoundMb(heapMb: number, { idleMb, requests }: Load): number {
  return Math.ceil(idleMb + (1 + BUDGET) * heapLimitMb(heapMb) + requests * SOCKETS_MB)
}

/** Like residentBoundMb, for requests that only send files, of any size. */
export function sendingBoundMb({ idleMb, requests }: Load): number {
  return Math.ceil(idleMb + requests * (STREAMED_FILE_BYTES / MB + SOCKETS_MB) + GARBAGE_MB)
}

/** Includes the young generation. */
function heapLimitMb(heapMb: number): number {
  const program = 'v8.getHeapStatistics().heap_size_limit'
  const options = [...V8_OPTIONS, `--max-old-space-size=${heapMb}`]
  return Number(execFileSync(process.execPath, [...options, '-p', program])) / MB
}

/** The peak memory of a process during some work. */
export async function peakMbWhile({ child }: GatewayProcess, work: () => Promise<unknown>): Promise<number> {
  let isDone = false
  const done = work().finally(() => {
    isDone = true
  })
  let peak = 0
  while (!isDone) {
    peak = Math.max(peak, await residentMb(child.pid!))
    await sleep(LOOK_MS)
  }
  await done
  return Math.round(peak)
}

export async function residentMb(pid: number): Promise<number> {
  const status = await readFile(`/proc/${pid}/status`, 'utf8')
  return Math.round(Number(/VmRSS:\s+(\d+) kB/.exec(status)?.[1] ?? 0) / 1024)
}
