import assert from 'node:assert/strict'
import { mkdtemp, rm } from 'node:fs/promises'
import type { AddressInfo } from 'node:net'
import { Server as TlsServer } from 'node:tls'
import { join } from 'node:path'
import { PassThrough } from 'node:stream'
import { type Logger, pino } from 'pino'
import { logOptions } from '../../src/cli/log.ts'
import { loadConfig } from '../../src/platform/config/config.ts'
import { Circuits } from '../../src/calls/attempts/circuits.ts'
import { RetryBudget } from '../../src/calls/attempts/retry-budget.ts'
import { type Gateway, openGateway, type Overrides } from '../../src/server/gateway.ts'
import { listeningUrl } from '../../src/platform/net/addresses/listening-url.ts'
import { watchAnswers } from '../conformance/watch-answers.ts'
import { memoryFolder } from '../fakes/memory-folder.ts'
import { seedMigratedFile } from '../fakes/migrated-file.ts'
import { withSharedKey } from '../fakes/signing-key.ts'
import type { StoreKind } from '../fakes/stores.ts'
import { NO_CONFIG } from './gateway-process.ts'

export const API_KEY = 'test-key-of-the-suite'
export const ADMIN_KEY = 'test-admin-key-of-the-suite'

export type GatewayUnderTest = {
  /** `http://127.0.0.1:<port>`; the API is below `/v3`. */
  url: string
  adminUrl: string
  gateway: Gateway
  /** The settings with which a command works on the same installation. */
  where: Record<string, string>
  /** Every log line so far, as text. */
  logs(): string
  close(): Promise<void>
}

type Options = {
  env?: Record<string, string>
  overrides?: Overrides
  dataDir?: string
  /** Makes the store of this gateway, which is removed with it. Without it, the store is SQLite in the data folder. */
  newStore?: StoreKind['newStore']
}

/**
 * The real gateway on real ports, with a data folder of its own, inside of this process so that its clock and limits can be
 * set.
 */
export async function startGateway(options: Options = {}): Promise<GatewayUnderTest> {
  const { env = {}, overrides = {}, dataDir, newStore } = options
  const store = await newStore?.()
  const folder = dataDir ?? (await mkdtemp(join(memoryFolder(), 'gatehouse-test-')))
  const where = { ...withSharedKey(), DATA_DIR: folder, ...(store?.databaseUrl && { DATABASE_URL: store.databaseUrl }) }
  if (!env.DATABASE_URL && !store?.databaseUrl) await seedMigratedFile(folder)
  const config = loadConfig({
    ...where,
    GATEHOUSE_API_KEY: API_KEY,
    GATEHOUSE_ADMIN_KEY: ADMIN_KEY,
    GATEHOUSE_CONFIG: NO_CONFIG,
    LOG_LEVEL: 'debug',
    ...env,
  })
  const { log, logs } = collectLogs()
  const health = { ...NEVER_LATE, ...overrides.health }
  const gateway = await openGateway(config, log, { ...quick(), ...overrides, health })
  const undocumented = watchAnswers(gateway)
  await gateway.api.listen({ host: '127.0.0.1', port: 0 })
  await gateway.admin.listen({ host: '127.0.0.1', port: 0 })
  const ready = gateway.firstTry.then(gateway.ready)
  // A test of a slow start asks meanwhile.
  if (overrides.slowStartMs === undefined) await ready
  else ready.catch(() => undefined)
  return {
    url: addressOf(gateway.api),
    adminUrl: addressOf(gateway.admin),
    gateway,
    where,
    logs,
    close: async () => {
      await gateway.close()
      if (!dataDir) await rm(folder, { recursive: true })
      await store?.remove()
      assert.deepEqual(undocumented(), [])
    },
  }
}

/**
 * Makes one call to a provider for each that the test expects: there are no retries, and no number of failures opens a
 * circuit for the next test. The tests of retries and circuits set the real values.
 */
function quick(): Overrides {
  return {
    backOffMs: () => 1,
    sleep: async (_ms, signal) => signal.throwIfAborted(),
    // Each gateway has its own: one of them may learn of an open circuit from another machine.
    circuits: new Circuits(Date.now, { openAfter: Number.POSITIVE_INFINITY }),
    retries: new RetryBudget({ toBeginWith: 0, perRequest: 0 }),
    // These time limits have tests of their own. In other tests, a busy machine must not reach them.
    slowStartMs: 600_000,
    engineLimitMs: 600_000,
    storeMetricsMs: 600_000,
    heartbeatMs: 600_000,
    localModelsMs: 600_000,
    countTokensMs: 600_000,
    afterFinishMs: 600_000,
    // A real hash takes a twentieth of a second, and tests make hundreds of them.
    passwordCost: { memory: 64, passes: 1, parallelism: 1 },
  }
}

/** A busy machine makes a gateway late. Shedding load is right then, but most tests are about something else. */
const NEVER_LATE = { maxBacklogMs: Number.POSITIVE_INFINITY }

function collectLogs(): { log: Logger; logs: () => string } {
  const lines: string[] = []
  const stream = new PassThrough()
  stream.on('data', (chunk) => lines.push(String(chunk)))
  return { log: pino(logOptions('debug'), stream), logs: () => lines.join('') }
}

function addressOf({ server }: Gateway['api']): string {
  return listeningUrl(server.address() as AddressInfo, server instanceof TlsServer)
}
