import type { AddressInfo } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import type { FastifyInstance } from 'fastify'
import { type Config, loadConfig } from '../config/config.ts'
import { type Gateway, openGateway } from '../gateway.ts'
import { StoreUnavailable } from '../store/database.ts'
import { ensureSigningKey, readSigningKey } from '../webhooks/signing-key.ts'
import { firstKeys, type MadeKeys } from './first-keys.ts'
import { type Log, openLog } from './log.ts'

const STORE_RETRY_MS = 2_000

export async function serve(): Promise<number> {
  const config = loadConfig()
  const log = openLog(config.logLevel)
  const gateway = await openPatiently(config, log)
  readSigningKey(await ensureSigningKey(config.dataDir, config.webhookPrivateKeyFile))
  const made = await firstKeys(config, gateway.outside.keyDesk)
  const base = await listen(gateway.api, config.host, config.port)
  const admin = await listen(gateway.admin, config.adminHost, config.adminPort)
  gateway.ready()
  if (made.client || made.admin) process.stdout.write(welcome(base, admin, made))
  log.info({ base_url: `${base}/v3`, admin_url: admin, store: gateway.outside.keyDesk.db.kind }, 'listening')
  return await untilStopped(gateway, log)
}

/** A database that is not there yet is waited for: in a fleet everything starts at once, in any order. */
async function openPatiently(config: Config, log: Log): Promise<Gateway> {
  for (;;) {
    try {
      return await openGateway(config, log)
    } catch (error) {
      if (!(error instanceof StoreUnavailable)) throw error
      log.warn({ reason: error.message }, 'the database cannot be reached; trying again')
      await sleep(STORE_RETRY_MS)
    }
  }
}

async function listen(app: FastifyInstance, host: string, port: number): Promise<string> {
  await app.listen({ host, port })
  const { address, port: taken, family } = app.server.address() as AddressInfo
  const name = address === '0.0.0.0' || address === '::' ? '127.0.0.1' : family === 'IPv6' ? `[${address}]` : address
  return `http://${name}:${taken}`
}

async function untilStopped(gateway: Gateway, log: Log): Promise<number> {
  const { reason, code } = await firstOf(log)
  log.info({ reason }, 'draining')
  process.once('SIGTERM', () => process.exit(1)).once('SIGINT', () => process.exit(1))
  await gateway.close()
  log.info('stopped')
  log.flush()
  return code
}

/** A signal asks us to stop; an error that nobody caught makes us: the state may be wrong, so we drain and leave. */
function firstOf(log: Log): Promise<{ reason: string; code: number }> {
  return new Promise((resolve) => {
    for (const signal of ['SIGTERM', 'SIGINT'] as const)
      process.once(signal, () => resolve({ reason: signal, code: 0 }))
    for (const event of ['uncaughtException', 'unhandledRejection'] as const) {
      process.on(event, (error) => {
        log.fatal({ err: error }, event)
        resolve({ reason: event, code: 1 })
      })
    }
  })
}

function welcome(base: string, admin: string, { client, admin: adminKey }: MadeKeys): string {
  const lines = ['', `  Gatehouse is running at ${base}/v3   (docs: ${base}/docs)`, '']
  if (client) lines.push(`  API key (shown this once):    ${client}`)
  if (adminKey) lines.push(`  Admin key (shown this once):  ${adminKey}   for ${admin}/admin`)
  if (client) lines.push('', '  Try it:', '', curl(base, client), '')
  return `${lines.join('\n')}\n`
}

function curl(base: string, key: string): string {
  const body = '{"model":"sandbox/echo","messages":[{"role":"user","content":"Hello, gatehouse!"}]}'
  return `curl ${base}/v3/chat/completions -H 'Authorization: Bearer ${key}' -H 'Content-Type: application/json' -d '${body}'`
}
