import type { Config } from '../config/config.ts'
import { ApiProcesses } from './api-processes.ts'
import { ClusterMetrics } from './cluster-metrics.ts'
import { firstKeys, openWhenReachable } from './first-start.ts'
import { addressOf, listen, orClosed, portFor } from './listen.ts'
import type { Log } from './log.ts'
import { untilStopped } from './until-stopped.ts'
import { welcome } from './welcome.ts'

// Several API processes on one port. The primary process prepares the installation, runs the admin listener, adds up the
// metrics and replaces a process that dies.

export async function serveCluster(config: Config, log: Log, count: number): Promise<number> {
  const metrics = new ClusterMetrics()
  const gateway = await openWhenReachable(config, log, { readMetrics: (own) => metrics.read(own), role: 'api' })
  let processes: ApiProcesses | undefined
  const { admin, base, made } = await orClosed({ close }, async () => {
    const admin = await listen(gateway.admin, config.adminHost, config.adminPort)
    const env = { PORT: String(await portFor(config.host, config.port)) }
    processes = new ApiProcesses({ env, log, started: (worker) => metrics.add(worker) })
    return { admin, base: addressOf(await processes.start(count)), made: await firstKeys(config, gateway.context) }
  })
  gateway.ready()
  welcome(base, admin, made)
  log.info({ base_url: `${base}/v3`, admin_url: admin, store: gateway.context.db.kind, processes: count }, 'listening')
  return await untilStopped(log, close)

  async function close() {
    await processes?.stop()
    metrics.close()
    await gateway.close()
  }
}
