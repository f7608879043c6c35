import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { pino } from 'pino'
import type { Caller } from '../tenants/access/caller.ts'
import { assemble, clockOf } from '../server/assemble.ts'
import type { Aliases } from '../platform/config/aliases/alias.ts'
import type { Config } from '../platform/config/config.ts'
import { API_ROUTES } from '../http/routes/api-routes.ts'
import { askedIn, explain } from '../http/dry-run.ts'
import { Health } from '../http/health.ts'
import { parseBody } from '../translation/json/parse-body.ts'
import type { ForecastSource } from '../money/limits/forecast.ts'
import { openNetwork } from '../server/network.ts'
import { openConfiguration } from '../server/open-configuration.ts'
import { openParts } from '../server/open-parts.ts'
import { lateStore } from '../server/open-store.ts'
import { notOpenYet } from '../server/open-with-store.ts'
import { processName } from '../server/replicas/process-name.ts'
import type { Database } from '../platform/store/database.ts'
import { Metrics } from '../platform/telemetry/metrics.ts'

/** What is known of an installation whose gateway need not be running. Without a store, the config file is all there is. */
type OfflineInstallation = { config: Config; aliases: Aliases; limits: ForecastSource; db: Database | undefined }

/** The same as POST /admin/explain, for a command. It leaves the folder of the data alone. */
export async function explainOffline(
  body: Buffer,
  caller: Caller,
  { config: own, aliases, limits, db }: OfflineInstallation,
) {
  const dryRequest = { ...askedIn(parseBody(body)), caller }
  const log = pino({ level: 'silent' })
  const metrics = new Metrics()
  const folder = await mkdtemp(join(tmpdir(), 'gatehouse-explain-'))
  const config = { ...own, dataDir: folder, blobUrl: undefined }
  const network = openNetwork(config, log)
  const opened = await openParts(config, network, log)
  const health = new Health()
  const parts = { ...opened, health, late: notOpenYet(), egress: opened.openEgress(config) }
  const store = db ?? lateStore(config, metrics, { migrated() {} }).db
  const made = { network, metrics, clock: clockOf({}), processName: processName(), log, telemetry: undefined }
  const { active } = openConfiguration(assemble({ ...made, config, db: store, parts }, {}), parts, log)
  try {
    active.replaceAliases(aliases)
    return await explain(dryRequest, { services: active.current, limits, routes: API_ROUTES, health })
  } finally {
    active.current.tenants.jwt.close()
    active.close()
    await Promise.all([opened.engines.close(), network.upstream.close(), network.direct.close()])
    await rm(folder, { recursive: true, force: true })
  }
}
