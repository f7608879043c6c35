import cluster from 'node:cluster'
import { availableParallelism } from 'node:os'
import { type Config, parseConfig } from '../platform/config/config.ts'
import type { Environment } from '../platform/config/environment.ts'
import { type Gateway, openGateway, type Role } from '../server/gateway.ts'
import { firstStart } from './first-start.ts'
import { serveCluster } from './cluster.ts'
import { answerPrimary, startOfPrimary } from './cluster-config.ts'
import { listen, orClosed } from './listen.ts'
import { type Log, openLog } from './log.ts'
import { runGateway } from './run-gateway.ts'
import { statedUrls, welcome } from './welcome.ts'

/** The process that was started: the only one, or the one that starts the others. */
export async function servePrimary(config: Config, role: Role): Promise<number> {
  const log = openLog(config)
  if (role === 'worker') return await serveJobs(config, log)
  const processes = config.workers === 'auto' ? availableParallelism() : config.workers
  return processes > 1 ? await serveCluster(config, log, processes) : await serveAlone(config, log, role)
}

async function serveAlone(config: Config, log: Log, role: Role): Promise<number> {
  const gateway = await openGateway(config, log, { role })
  const { base, admin } = await orClosed(gateway, async () => ({
    base: await listen(gateway.api, config.host, config.port),
    admin: await listen(gateway.admin, config.adminHost, config.adminPort),
  }))
  return await runGateway({
    gateway,
    log,
    // Keys that were created but not shown would be lost, because the next start creates none.
    started: async () => welcome({ config, base, admin, ...(await firstStart(config, gateway.services.tenants)) }, log),
    listening: {
      base_url: `${base}/v3`,
      admin_url: admin,
      ...statedUrls(config),
      store: gateway.services.calls.db.kind,
    },
    close: gateway.close,
  })
}

/** The IPC channel to the primary process would keep this one alive, also after a failed start. */
export async function serveAsMember(environment: Environment | undefined, role: Role): Promise<number> {
  try {
    return await serveShared(environment, role)
  } finally {
    process.disconnect?.()
  }
}

/** Runs one of several API processes. The primary process has prepared everything and runs the admin listener. */
async function serveShared(environment: Environment | undefined, role: Role): Promise<number> {
  const opened = Promise.withResolvers<Gateway>()
  answerPrimary(opened.promise)
  const { file, port } = await startOfPrimary()
  const config = parseConfig({ environment, file })
  const log = openLog(config)
  const started = endWithPrimary()
  const gateway = await openGateway(config, log, { role })
  gateway.firstTry.then(started, started)
  const sendMetrics = () => process.send?.({ metrics: gateway.services.calls.metrics.write() })
  await orClosed(gateway, () => listen(gateway.api, config.host, port, true))
  opened.resolve(gateway)
  process.on('message', (message) => {
    if (message === 'metrics') sendMetrics()
  })
  process.send?.({ listening: gateway.api.server.address() })
  // A closed terminal and `kill -HUP` to a whole process group reach the primary process too, and it tells the workers.
  const code = await runGateway({ gateway, log, close: gateway.close, reload: () => {} })
  sendMetrics()
  return code
}

/**
 * When the primary process dies, Node ends this one too, but not while a thread of it migrates the database or waits for another
 * process that does: it would keep the port for minutes. Returns what to call when that is over.
 */
function endWithPrimary(): () => void {
  const end = () => process.kill(process.pid, 'SIGKILL')
  cluster.worker?.on('disconnect', end)
  return () => void cluster.worker?.off('disconnect', end)
}

/** Runs jobs and sends webhooks for API processes elsewhere that share its database. Only the admin port is open. */
async function serveJobs(config: Config, log: Log): Promise<number> {
  const gateway = await openGateway(config, log, { role: 'worker' })
  const admin = await orClosed(gateway, () => listen(gateway.admin, config.adminHost, config.adminPort))
  const listening = { admin_url: admin, store: gateway.services.calls.db.kind, role: 'worker' }
  const started = async () => welcome({ config, admin, made: {} }, log)
  return await runGateway({ gateway, log, started, listening, close: () => gateway.close() })
}
