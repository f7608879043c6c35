import type { FastifyInstance } from 'fastify'
import type { Logger } from 'pino'
import { ActiveContext } from './active-context.ts'
import { AliasCache } from './aliases/kept-aliases.ts'
import type { AppContext } from './app/context.ts'
import type { Config } from './config/config.ts'
import { Configuration } from './configuration.ts'
import type { Egress } from './net/egress/guarded-fetch.ts'
import { LimitCache } from './limits/kept-limits.ts'
import { fixedKeys } from './open-keys.ts'
import type { WithStore } from './open-with-store.ts'
import { configAdmin, NO_OTHERS, type OtherProcesses } from './reload-config.ts'

type Parts = {
  egress: Egress
  openEgress(config: Config): Egress
  listeners: readonly FastifyInstance[]
  late: WithStore
  others: OtherProcesses | undefined
}

/** Makes the configuration of the first context replaceable, and lets the context describe and reload it. */
export function openConfiguration(context: AppContext, { late, others = NO_OTHERS, ...parts }: Parts, log: Logger) {
  const active = new ActiveContext({ context, log, fixedKeys, ...parts })
  const configuration = new Configuration({
    config: context.config,
    prepare: (next) => active.prepare(next),
    stored: () => [{ path: ['store', 'linkSecret'], value: late.linkSecret, origin: 'store' }],
    digestKey: () => late.linkSecret ?? '',
    process: context.processName,
    changed: (report) => void late.replica?.tell(report()),
    log,
    now: context.now,
  })
  const reports = async () => {
    const own = await others.reports()
    const told = (await late.replica?.configs().catch(() => [])) ?? []
    return [...own, ...told.filter(({ process }) => !own.some((one) => one.process === process))]
  }
  const kept = new AliasCache({ db: context.db, log, replace: (aliases) => active.replaceAliases(aliases) })
  const limits = new LimitCache({ db: context.db, log, replace: (stored) => active.replaceLimits(stored) })
  Object.assign(context, { refreshAliases: () => kept.refresh(), refreshLimits: () => limits.refresh() })
  const all = { reports, prepare: (file: Parameters<typeof others.prepare>[0]) => others.prepare(file) }
  Object.assign(context, configAdmin(configuration, all, { log, db: context.db }))
  return { active, configuration }
}
