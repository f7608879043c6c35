import type { Server } from 'node:http'
import type { Logger } from 'pino'

const LOG_EVERY_MS = 10_000

type UserLimits = { userLimits?: { open_files?: { soft: number | 'unlimited' } } }
/** Node's types do not have this yet. A report that includes the network may query name servers. */
type Report = NodeJS.ProcessReport & { excludeNetwork: boolean }

/** Node finds the limit only by writing a whole report, which takes milliseconds, so every listener uses the first one. */
let openFiles: { limit: number | undefined } | undefined

/**
 * Clients get half of the file descriptors that the process may open. Otherwise idle connections could leave none for
 * connecting to providers.
 */
export function limitConnections(server: Server): void {
  openFiles ??= { limit: openFilesLimit() }
  const { limit } = openFiles
  if (limit !== undefined) server.maxConnections = Math.floor(limit / 2)
}

/** A connection that cannot be accepted must not end the process, because the next one may work. */
export function surviveAcceptErrors(server: Server, log: Logger): void {
  let reportedAt = Number.NEGATIVE_INFINITY
  server.on('error', (error: NodeJS.ErrnoException) => {
    if (error.syscall !== 'accept' || performance.now() - reportedAt < LOG_EVERY_MS) return
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
