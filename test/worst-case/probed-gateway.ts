import { once } from 'node:events'
import { readFile } from 'node:fs/promises'
import { type GatewayProcess, startWithOptions, temporaryFolder } from '../e2e/gateway-process.ts'
import { API_KEY } from '../e2e/gateway-under-test.ts'
import type { Watched } from './loop-probe.ts'

/** A gateway whose event loop and memory can be looked at from outside. */
export type ProbedGateway = GatewayProcess & {
  /** Runs the work, and tells the longest turn of the gateway's event loop meanwhile, in CPU of its main thread. */
  watch(work: () => Promise<unknown>): Promise<Watched>
  /** The most memory that it ever held, in MB. */
  peakMb(): Promise<number>
  close(): Promise<void>
}

const PROBE = new URL('./loop-probe.ts', import.meta.url).href

/** `heapMb`: what V8 may take before the process dies of it. */
export async function startProbedGateway(heapMb: number, env: Record<string, string>): Promise<ProbedGateway> {
  const folder = await temporaryFolder()
  const options = [`--max-old-space-size=${heapMb}`, `--import=${PROBE}`]
  const settings = { DATA_DIR: folder.data, GATEHOUSE_API_KEY: API_KEY, ...env }
  const gateway = await startWithOptions(options, settings)
  const { child } = gateway
  return {
    ...gateway,
    watch: async (work) => {
      child.send('watch')
      let told: Promise<unknown[]> | undefined
      try {
        await work()
      } finally {
        told = once(child, 'message')
        child.send('stop')
      }
      const [watched] = await told
      return watched as Watched
    },
    peakMb: async () => {
      const status = await readFile(`/proc/${child.pid}/status`, 'utf8')
      return Number(/VmHWM:\s+(\d+) kB/.exec(status)![1]) / 1024
    },
    close: async () => {
      await gateway.stop()
      await folder.remove()
    },
  }
}
