import assert from 'node:assert/strict'
import { once } from 'node:events'
import { readFile } from 'node:fs/promises'
import { type GatewayProcess, startWithOptions, temporaryFolder } from '../gateway/gateway-process.ts'
import { API_KEY } from '../gateway/gateway-under-test.ts'
import { residentBoundMb, residentMb } from '../gateway/resident-memory.ts'
import type { Watched } from './loop-probe.ts'

/** A gateway whose event loop and memory can be observed from outside. */
export type ProbedGateway = GatewayProcess & {
  /** Runs the work, and returns the longest turn of the gateway's event loop meanwhile, in CPU of its main thread. */
  watch(work: () => Promise<unknown>): Promise<Watched>
  /** Asserts that its peak memory is below what docs/memory.md states for this many concurrent requests and threads. */
  assertBounded(work: { requests: number; threadsMb?: number }): Promise<void>
  close(): Promise<void>
}

/** Three threads (docs/memory.md). */
export const ENGINES_MB = 3 * 1_024

const PROBE = new URL('./loop-probe.ts', import.meta.url).href

/** `heapMb`: V8's heap limit. */
export async function startProbedGateway(heapMb: number, env: Record<string, string>): Promise<ProbedGateway> {
  const folder = await temporaryFolder()
  const options = [`--max-old-space-size=${heapMb}`, `--import=${PROBE}`]
  const settings = { DATA_DIR: folder.data, GATEHOUSE_API_KEY: API_KEY, ...env }
  const gateway = await startWithOptions(options, settings)
  const { child } = gateway
  const idleMb = await residentMb(child.pid!)
  return {
    ...gateway,
    watch: async (work) => {
      child.send('watch')
      let reported: Promise<unknown[]> | undefined
      try {
        await work()
      } finally {
        reported = once(child, 'message')
        child.send('stop')
      }
      const [watched] = await reported
      return watched as Watched
    },
    assertBounded: async ({ requests, threadsMb = 0 }) => {
      assert.deepEqual([child.exitCode, child.signalCode], [null, null])
      const bound = residentBoundMb(heapMb, { idleMb, requests }) + threadsMb
      const peak = await peakMb(child.pid!)
      assert.ok(peak < bound, `it took ${Math.round(peak)} MB, of at most ${bound} MB`)
    },
    close: async () => {
      await gateway.stop()
      await folder.remove()
    },
  }
}

async function peakMb(pid: number): Promise<number> {
  const status = await readFile(`/proc/${pid}/status`, 'utf8')
  return Number(/VmHWM:\s+(\d+) kB/.exec(status)![1]) / 1024
}
