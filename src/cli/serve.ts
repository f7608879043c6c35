import cluster from 'node:cluster'
import { availableParallelism } from 'node:os'
import { type Config, loadConfig } from '../config/config.ts'
import { openPatiently, prepareInstallation } from './first-start.ts'
import { serveFleet } from './fleet.ts'
import { listen } from './listen.ts'
import { type Log, openLog } from './log.ts'
import { untilStopped } from './until-stopped.ts'
import { welcome } from './welcome.ts'

export async function serve(): Promise<number> {
  const config = loadConfig()
  const log = openLog(config.logLevel)
  if (cluster.isWorker) return await serveAsWorker(config, log)
  const processes = config.workers === 'auto' ? availableParallelism() : config.workers
  return processes > 1 ? await serveFleet(config, log, processes) : await serveAlone(config, log)
}

async function serveAlone(config: Config, log: Log): Promise<number> {
  const gateway = await openPatiently(config, log)
  const made = await prepareInstallation(config, gateway.outside.keyDesk)
  const base = await listen(gateway.api, config.host, config.port)
  const admin = await listen(gateway.admin, config.adminHost, config.adminPort)
  gateway.ready()
  welcome(base, admin, made)
  log.info({ base_url: `${base}/v3`, admin_url: admin, store: gateway.outside.keyDesk.db.kind }, 'listening')
  return await untilStopped(log, () => gateway.close())
}

/** One of several API processes: the first process has prepared everything and keeps the admin listener. */
async function serveAsWorker(config: Config, log: Log): Promise<number> {
  const gateway = await openPatiently(config, log)
  await listen(gateway.api, config.host, config.port)
  gateway.ready()
  process.on('message', (message) => {
    if (message === 'metrics') process.send?.({ metrics: gateway.outside.metrics.write() })
  })
  const code = await untilStopped(log, () => gateway.close())
  process.disconnect?.()
  return code
}
