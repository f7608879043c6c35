import type { Logger } from 'pino'
import { type Author, RELOAD } from '../tenants/audit/author.ts'
import { writeAuditEvents } from '../tenants/audit/audited.ts'
import { differencesBetween, digestOfReport, type ProcessReport } from '../platform/config/report/config-report.ts'
import type { ConfigFile } from '../platform/config/config-source.ts'
import { needsRestart } from '../platform/config/settings.ts'
import type { Configuration } from './configuration.ts'
import type { ConfigReport, ReloadReport } from '../contract/admin/config.ts'
import { LOG_LEVEL } from './change-log-level.ts'
import type { Database } from '../platform/store/database.ts'
import { findSetting } from '../platform/store/installation/settings.ts'

/** What a gateway asks the other processes that share its work. */
export type OtherProcesses = {
  /** The configurations that others report. */
  reports(): Promise<ProcessReport[]>
  /** Lets the others check a config file. Throws if one of them refuses it; then none of them uses it. */
  prepare(file: ConfigFile): Promise<{ count: number; commit(): Promise<void> }>
}

export const NO_OTHERS: OtherProcesses = {
  reports: async () => [],
  prepare: async () => ({ count: 0, commit: async () => {} }),
}

/** The configuration of all processes of a gateway, for operators. */
export function configAdmin(own: Configuration, others: OtherProcesses, { log, db }: { log: Logger; db: Database }) {
  let last: Promise<unknown> = Promise.resolve()
  return {
    describeConfig: async () => ({
      ...describe(own, await others.reports()),
      log_level: { in_use: log.level, set: await setLogLevel(db) },
    }),
    /** One reload at a time. The new configuration is in use even if the store is away and the audit log cannot say so. */
    reloadConfig: (author: Author = RELOAD): Promise<ReloadReport> => {
      const next = last.then(async () => {
        const report = await reload(own, others)
        const after = { changed: report.changed, needs_restart: report.needs_restart }
        await writeAuditEvents(db, author, { action: 'config.reload', object: 'config', after }).catch((error) => {
          log.error({ err: error, changed: report.changed }, 'a reload of the configuration is not in the audit log')
        })
        return report
      })
      last = next.catch((error) => {
        log.error({ reason: String(error.message) }, 'the configuration was rejected; the old one stays active')
      })
      return next
    },
  }
}

async function reload(own: Configuration, others: OtherProcesses): Promise<ReloadReport> {
  const file = own.readFile()
  const { report, commit } = own.prepare(file)
  const prepared = await others.prepare(file)
  commit()
  await prepared.commit()
  return { changed: report.changed, needs_restart: report.needsRestart, processes: 1 + prepared.count }
}

/** The configuration can be shown while the store is away. */
async function setLogLevel(db: Database): Promise<string | null> {
  return (await findSetting(db, LOG_LEVEL).catch(() => undefined)) ?? null
}

function describe(own: Configuration, others: readonly ProcessReport[]): Omit<ConfigReport, 'log_level'> {
  const report = own.report()
  const pending = own.pending()
  const all = [report, ...others]
  return {
    file: own.file.path ?? null,
    process: report.process,
    loaded_at: new Date(report.loadedAt).toISOString(),
    values: report.values.map(({ digest: _, name, ...value }) => {
      const waiting = pending.has(name) ? { pending: pending.get(name) } : {}
      return { name, ...value, needs_restart: needsRestart(name), ...waiting }
    }),
    processes: all.map(({ process }) => process),
    process_states: all.map((one) => ({
      process: one.process,
      version: one.version ?? null,
      loaded_at: new Date(one.loadedAt).toISOString(),
      config_fingerprint: digestOfReport(one),
      agrees: digestOfReport(one) === digestOfReport(report) && one.version === report.version,
    })),
    differences: differencesBetween(all),
  }
}
