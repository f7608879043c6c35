import { spawn } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { once } from 'node:events'
import { chmodSync, mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { API_KEY } from '../../pack/ask-gateway.ts'
import { freePort } from '../../src/platform/net/free-port.ts'
import { type GatewayProcess, startFirst } from '../../test/gateway/gateway-process.ts'
import { startPostgres } from '../../test/fakes/postgres.ts'
import { listening } from '../../test/proxies/listening.ts'
import { startLoad } from '../../test/proxies/load.ts'
import { startNameServer } from './name-server.ts'
import { findNginx, nginxConfig } from './nginx.ts'
import type { Report } from './report.ts'

// What compose.yaml composes, without Docker: PostgreSQL, two gateways with a data folder each and one folder for files, and nginx with
// its config, which finds the gateways by their names. A gateway is replaced by one with another address, under load.

const WARM_UP_MS = 3_000

export async function checkComposition(report: Report): Promise<void> {
  const nginx = findNginx()
  if (!nginx?.knowsResolve) return report.skipped('composition', 'there is no nginx 1.27.3 or newer (NGINX_COMMAND)')
  const postgres = await startPostgres()
  if ('skip' in postgres) return report.skipped('composition', postgres.skip)
  const folder = mkdtempSync(join(tmpdir(), 'gatehouse-composition-'))
  chmodSync(folder, 0o755)
  const started: GatewayProcess[] = []
  try {
    await compose(report, { folder, nginx: nginx.command, databaseUrl: postgres.url, started })
  } finally {
    for (const { child } of started) if (child.exitCode === null) child.kill('SIGKILL')
    await postgres.stop()
    rmSync(folder, { recursive: true, force: true })
  }
}

/** `started` has every gateway, so that none of them outlives a check that fails. */
type Setting = { folder: string; nginx: string; databaseUrl: string; started: GatewayProcess[] }

async function compose(report: Report, setting: Setting): Promise<void> {
  const port = await freePort('127.0.0.1', 0)
  const addresses = new Map([
    ['gateway-1', '127.0.0.1'],
    ['gateway-2', '127.0.0.2'],
  ])
  const shared = sharedSettings(setting, await freePort('127.0.0.1', 0))
  const start = async (name: string) => {
    const gateway = await startFirst({ ...shared, HOST: addresses.get(name)!, DATA_DIR: dataFolder(setting, name) })
    setting.started.push(gateway)
    return gateway
  }
  const gateways = await Promise.all([start('gateway-1'), start('gateway-2')])
  const names = await startNameServer(addresses)
  const stopNginx = await startNginx(setting, { port, gatewayPort: shared.PORT, namePort: names.port })
  const load = startLoad(`http://127.0.0.1:${port}`, API_KEY, 'sandbox/echo')
  await sleep(WARM_UP_MS)
  gateways[1] = await replace(gateways[1]!, () => start('gateway-2'), addresses)
  await sleep(WARM_UP_MS)
  const before = gateways[1].output().split('chat/completions').length
  gateways[0] = await replace(gateways[0]!, () => start('gateway-1'), addresses)
  const after = gateways[1].output().split('chat/completions').length
  const { wholes, streams, failures } = await load.stop()
  await stopNginx()
  names.stop()
  for (const gateway of gateways) await stop(gateway)
  const isRight = failures.length === 0 && wholes > 0 && streams > 0
  report.line(
    'two gateways are replaced behind nginx',
    isRight,
    `${wholes} answers, ${streams} streams, ${failures.length} failures`,
  )
  for (const failure of failures.slice(0, 5)) console.log(`        ${failure}`)
  report.line('nginx finds a gateway at its new address', after > before, `${after - before} requests`)
}

function sharedSettings({ databaseUrl }: Setting, port: number) {
  return {
    PORT: String(port),
    DATABASE_URL: databaseUrl,
    GATEHOUSE_ENCRYPTION_KEY: randomBytes(32).toString('base64'),
    GATEHOUSE_API_KEY: API_KEY,
    GATEHOUSE_ADMIN_KEY: `admin-${API_KEY}`,
    DRAIN_DELAY_SECONDS: '3',
  }
}

/** Two volumes, one of them inside of the other. */
function dataFolder({ folder }: Setting, name: string): string {
  const [data, files] = [join(folder, name), join(folder, 'files')]
  mkdirSync(files, { recursive: true })
  if (mkdirSync(data, { recursive: true })) symlinkSync(files, join(data, 'blobs'))
  return data
}

async function replace(
  gateway: GatewayProcess,
  start: () => Promise<GatewayProcess>,
  addresses: Map<string, string>,
): Promise<GatewayProcess> {
  const old = new URL(gateway.url).hostname
  const name = [...addresses].find(([, address]) => address === old)![0]
  await stop(gateway)
  addresses.set(name, old === '127.0.0.1' ? '127.0.0.3' : '127.0.0.4')
  return await start()
}

async function stop(gateway: GatewayProcess): Promise<void> {
  const { code } = await gateway.stop()
  if (code !== 0) throw new Error(`a gateway ended with ${code}`)
}

type Ports = { port: number; gatewayPort: string; namePort: number }

async function startNginx({ folder, nginx }: Setting, { port, gatewayPort, namePort }: Ports) {
  const config = nginxConfig(folder)
    .replace('listen 8080', `listen 127.0.0.1:${port}`)
    .replace('resolver 127.0.0.11', `resolver 127.0.0.1:${namePort}`)
    .replace(/(gateway-\d):8080/g, `$1:${gatewayPort}`)
  writeFileSync(join(folder, 'nginx.conf'), `daemon off;\n${config}`)
  // It reports every connection that a gateway refused while it was replaced.
  const child = spawn(nginx, ['-e', 'stderr', '-c', join(folder, 'nginx.conf')], { stdio: 'ignore' })
  const ended = once(child, 'exit')
  await listening(port, 'nginx')
  return async () => {
    child.kill('SIGQUIT')
    await ended
  }
}
