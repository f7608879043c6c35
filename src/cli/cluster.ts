import cluster, { type Worker } from 'node:cluster'
import { once } from 'node:events'
import { setTimeout as sleep } from 'node:timers/promises'
import type { Config } from '../config/config.ts'
import { freePort } from '../net/free-port.ts'
import { mergeMetrics } from '../telemetry/merge-metrics.ts'
import { openGateway } from '../gateway.ts'
import { firstKeys } from './first-start.ts'
import { addressOf, listen, orClosed, withAdvice } from './listen.ts'
import type { Log } from './log.ts'
import { runGateway } from './run-gateway.ts'
import { UsageError } from './usage-error.ts'
import { welcome } from './welcome.ts'

// Several API processes on one port. The primary process prepares the installation, runs the admin listener, adds up the
// metrics and replaces a process that dies.

const RESPAWN_MS = 500
const ANSWER_MS = 1_000

export async function serveCluster(config: Config, log: Log, processes: number): Promise<number> {
  const gateway = await openGateway(config, log, { readMetrics: clusterMetrics, role: 'api' })
  const cluster = { stopping: false, close }
  const { admin, base } = await orClosed(cluster, async () => ({
    admin: await listen(gateway.admin, config.adminHost, config.adminPort),
    base: await startWorkers({ processes, port: await portFor(config), log }, cluster),
  }))
  return await runGateway({
    gateway,
    log,
    started: async () => welcome(base, admin, await firstKeys(config, gateway.context)),
    listening: { base_url: `${base}/v3`, admin_url: admin, store: gateway.context.db.kind, processes },
    close,
  })

  async function close() {
    cluster.stopping = true
    await Promise.all(workers().map(stopWorker))
    await gateway.close()
  }
}

/** With `PORT=0`, the port is chosen here, so that it stays the same even if all processes die at once. */
async function portFor({ host, port }: Config): Promise<number> {
  return port === 0 ? await withAdvice(freePort(host), host, port) : port
}

/** Resolves when all processes listen, with the address that they share. If a process dies before that, the start fails. */
async function startWorkers(
  { processes, port, log }: { processes: number; port: number; log: Log },
  workers: { stopping: boolean },
): Promise<string> {
  const fork = () => cluster.fork({ PORT: String(port) })
  const listening = Array.from({ length: processes }, () => firstAddress(fork()))
  const [address] = await Promise.all(listening)
  cluster.on('exit', async (worker, code, signal) => {
    if (workers.stopping) return
    log.error({ pid: worker.process.pid, code, signal }, 'an API process died; starting another')
    await sleep(RESPAWN_MS)
    if (!workers.stopping) fork()
  })
  return addressOf(address!)
}

function firstAddress(worker: Worker): Promise<{ address: string; port: number }> {
  return new Promise((resolve, reject) => {
    worker.once('listening', resolve)
    worker.once('exit', (code) =>
      reject(new UsageError(`An API process exited during startup (code ${code}). Its log has the reason.`)),
    )
  })
}

async function stopWorker(worker: Worker): Promise<void> {
  if (worker.isDead()) return
  const exited = once(worker, 'exit')
  worker.process.kill('SIGTERM')
  await exited
}

/** A process that is too busy to answer in time is left out, so that it does not hold up the reading. */
async function clusterMetrics(own: string): Promise<string> {
  const texts = await Promise.all(workers().map((worker) => Promise.race([metricsOf(worker), sleep(ANSWER_MS, '')])))
  return mergeMetrics([own, ...texts])
}

async function metricsOf(worker: Worker): Promise<string> {
  const answered = once(worker, 'message') as Promise<[{ metrics: string }]>
  worker.send('metrics')
  return (await answered)[0].metrics
}

function workers(): Worker[] {
  return Object.values(cluster.workers ?? {}).filter((worker) => worker !== undefined)
}
