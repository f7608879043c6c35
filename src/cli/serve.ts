import cluster from 'node:cluster'
import { availableParallelism } from 'node:os'
import { parseArgs } from 'node:util'
import { type Config, loadConfig } from '../config/config.ts'
import type { Role } from '../gateway.ts'
import { firstKeys, openWhenReachable } from './first-start.ts'
import { serveCluster } from './cluster.ts'
import { listen, orClosed } from './listen.ts'
import { type Log, openLog } from './log.ts'
import type { Terminal } from './terminal.ts'
import { untilStopped } from './until-stopped.ts'
import { UsageError } from './usage-error.ts'
import { welcome } from './welcome.ts'

const ROLES: readonly Role[] = ['all', 'api', 'worker']

export async function serve(argv: string[], { environment }: Terminal): Promise<number> {
  const role = readRole(argv)
  const config = loadConfig(environment)
  const log = openLog(config.logLevel)
  if (cluster.isWorker) return await serveAsMember(config, log, role)
  if (role === 'worker') return await serveJobs(config, log)
  const processes = config.workers === 'auto' ? availableParallelism() : config.workers
  return processes > 1 ? await serveCluster(config, log, processes) : await serveAlone(config, log, role)
}

async function serveAlone(config: Config, log: Log, role: Role): Promise<number> {
  const gateway = await openWhenReachable(config, log, { role })
  const { base, admin, made } = await orClosed(gateway, async () => ({
    base: await listen(gateway.api, config.host, config.port),
    admin: await listen(gateway.admin, config.adminHost, config.adminPort),
    // This comes last: keys that were created but not shown would be lost, because the next start creates none.
    made: await firstKeys(config, gateway.context),
  }))
  gateway.ready()
  welcome(base, admin, made)
  log.info({ base_url: `${base}/v3`, admin_url: admin, store: gateway.context.db.kind }, 'listening')
  return await untilStopped(log, () => gateway.close())
}

/** The IPC channel to the primary process would keep this one alive, also after a failed start. */
async function serveAsMember(config: Config, log: Log, role: Role): Promise<number> {
  try {
    return await serveShared(config, log, role)
  } finally {
    process.disconnect?.()
  }
}

/** Runs one of several API processes. The primary process has prepared everything and runs the admin listener. */
async function serveShared(config: Config, log: Log, role: Role): Promise<number> {
  const gateway = await openWhenReachable(config, log, { role })
  const sendMetrics = () => process.send?.({ metrics: gateway.context.metrics.write() })
  await orClosed(gateway, () => listen(gateway.api, config.host, config.port, true))
  gateway.ready()
  process.on('message', (message) => {
    if (message === 'metrics') sendMetrics()
  })
  process.send?.({ listening: gateway.api.server.address() })
  const code = await untilStopped(log, () => gateway.close())
  sendMetrics()
  return code
}

/** Runs jobs and sends webhooks for API processes elsewhere that share its database. Only the admin port is open. */
async function serveJobs(config: Config, log: Log): Promise<number> {
  const gateway = await openWhenReachable(config, log, { role: 'worker' })
  const admin = await orClosed(gateway, () => listen(gateway.admin, config.adminHost, config.adminPort))
  gateway.ready()
  log.info({ admin_url: admin, store: gateway.context.db.kind, role: 'worker' }, 'listening')
  return await untilStopped(log, () => gateway.close())
}

function readRole(argv: string[]): Role {
  const { values } = parseArgs({ args: argv, options: { role: { type: 'string', default: 'all' } } })
  const role = ROLES.find((one) => one === values.role)
  if (!role) throw new UsageError(`--role must be one of ${ROLES.join(', ')}`)
  return role
}
