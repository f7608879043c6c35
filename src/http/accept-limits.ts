import type { Server } from 'node:http'
import type { Logger } from 'pino'

const TELL_EVERY_MS = 10_000

type UserLimits = { userLimits?: { open_files?: { soft: number | 'unlimited' } } }
/** Not in Node's types yet. With the network, a report may ask name servers. */
type Report = NodeJS.ProcessReport & { excludeNetwork: boolean }

/**
 * Callers get half of the descriptors that the process may open: without this, connections that only wait would leave none
 * to reach a provider with.
 */
export function limitConnections(server: Server): void {
  const limit = openFilesLimit()
  if (limit !== undefined) server.maxConnections = Math.floor(limit / 2)
}

/** A connection that cannot be accepted must not end the process: the next one may be. */
export function surviveAcceptErrors(server: Server, log: Logger): void {
  let reportedAt = Number.NEGATIVE_INFINITY
  server.on('error', (error: NodeJS.ErrnoException) => {
    if (error.syscall !== 'accept' || performance.now() - reportedAt < TELL_EVERY_MS) return
    reportedAt = performance.now()
    log.error({ code: error.code }, 'connections cannot be accepted: raise the limit of open files (ulimit -n)')
  })
}

function openFilesLimit(): number | undefined {
  const report = process.report as Report
  const { excludeNetwork } = report
  report.excludeNetwork = true
  const soft = (report.getReport() as UserLimits).userLimits?.open_files?.soft
  report.excludeNetwork = excludeNetwork
  return typeof soft === 'number' ? soft : undefined
}
