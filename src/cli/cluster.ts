import cluster, { type Worker } from 'node:cluster'
import type { Config } from '../platform/config/config.ts'
import { openGateway } from '../server/gateway.ts'
import { listeningUrl } from '../platform/net/addresses/listening-url.ts'
import { ApiProcesses } from './api-processes.ts'
import { handOutStart, workersOf } from './cluster-config.ts'
import { ClusterMetrics } from './cluster-metrics.ts'
import { firstStart } from './first-start.ts'
import { listen, orClosed, portFor } from './listen.ts'
import type { Log } from './log.ts'
import { runGateway } from './run-gateway.ts'
import { statedUrls, welcome } from './welcome.ts'

// Several API processes on one port. The primary process prepares the installation, runs the admin listener, adds up the
// metrics and replaces a process that dies.

export async function serveCluster(config: Config, log: Log, count: number): Promise<number> {
  const metrics = new ClusterMetrics()
  const readMetrics = (own: string) => metrics.read(own)
  const gateway = await openGateway(config, log, { readMetrics, role: 'api', others: workersOf(workers) })
  let processes: ApiProcesses | undefined
  const { admin, base } = await orClosed({ close }, async () => {
    const admin = await listen(gateway.admin, config.adminHost, config.adminPort)
    const port = await portFor(config.host, config.port)
    handOutStart(() => ({ file: gateway.configuration.file, port }))
    processes = new ApiProcesses({ log, started: (worker) => metrics.add(worker) })
    return { admin, base: listeningUrl(await processes.start(count), Boolean(config.tlsCertFile)) }
  })
  return await runGateway({
    gateway,
    log,
    started: async () => welcome({ config, base, admin, ...(await firstStart(config, gateway.services.tenants)) }, log),
    listening: {
      base_url: `${base}/v3`,
      admin_url: admin,
      ...statedUrls(config),
      store: gateway.services.calls.db.kind,
      processes: count,
    },
    close,
  })

  async function close({ announce = false } = {}) {
    gateway.leave()
    await processes?.stop(announce ? 'SIGTERM' : 'SIGINT')
    metrics.close()
    await gateway.close()
  }
}

function workers(): Worker[] {
  return Object.values(cluster.workers ?? {}).filter((worker) => worker !== undefined)
}
