import { readFile } from 'node:fs/promises'
import { setTimeout as sleep } from 'node:timers/promises'
import type { GatewayProcess } from './gateway-process.ts'

const LOOK_MS = 5

/** What a process holds while something is done, looked at all the time. */
export async function mostMbWhile({ child }: GatewayProcess, work: () => Promise<unknown>): Promise<number> {
  let isDone = false
  const done = work().finally(() => {
    isDone = true
  })
  let most = 0
  while (!isDone) {
    most = Math.max(most, await residentMb(child.pid!))
    await sleep(LOOK_MS)
  }
  await done
  return Math.round(most)
}

export async function residentMb(pid: number): Promise<number> {
  const status = await readFile(`/proc/${pid}/status`, 'utf8')
  return Math.round(Number(/VmRSS:\s+(\d+) kB/.exec(status)?.[1] ?? 0) / 1024)
}
