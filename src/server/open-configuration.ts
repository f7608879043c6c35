import { join } from 'node:path'
import type { FastifyInstance } from 'fastify'
import type { Logger } from 'pino'
import { ReloadableServices } from './active-services.ts'
import { AliasCache } from '../tenants/aliases/alias-cache.ts'
import type { Assembled } from './assemble.ts'
import { changeLogLevel } from './change-log-level.ts'
import type { Config } from '../platform/config/config.ts'
import { Configuration } from './configuration.ts'
import { GuardrailFile } from '../tenants/guardrails/guardrail-file.ts'
import { guardrailCache } from '../tenants/guardrails/guardrail-cache.ts'
import { LimitCache } from '../money/limits/limit-cache.ts'
import type { Egress } from '../platform/net/egress/guarded-fetch.ts'
import { fixedKeys } from './open-keys.ts'
import type { WithStore } from './open-with-store.ts'
import { configAdmin, NO_OTHERS, type OtherProcesses } from './reload-config.ts'

type Parts = {
  egress: Egress
  openEgress(config: Config): Egress
  listeners: readonly FastifyInstance[]
  late: WithStore
  others?: OtherProcesses | undefined
}

/** Makes the configuration of the assembled services replaceable, and gives them what describes, reloads and refreshes it. */
export function openConfiguration(
  { calls, lasting: { tenants, money, operations, ...lasting } }: Assembled,
  { late, others = NO_OTHERS, ...parts }: Parts,
  log: Logger,
) {
  const { db, now, config } = calls
  const configuration = new Configuration({
    config,
    prepare: (next) => active.prepare(next),
    stored: () => [{ path: ['store', 'linkSecret'], value: late.linkSecret.current, origin: 'store' }],
    digestKey: () => late.linkSecret.current ?? '',
    process: operations.processName,
    changed: (report) => void late.replica.current?.tell(report()),
    log,
    now,
  })
  const refreshStored = async () => (await late.storedConfig.current?.refresh()) ?? configuration.active
  const aliases = new AliasCache({ db, log, replace: (stored) => active.replaceAliases(stored) })
  const guardrails = guardrailCache({
    db,
    log,
    file: guardrailFile(config, log),
    replace: (stored) => active.replaceGuardrails(stored),
  })
  const limits = new LimitCache({ db, log, replace: (stored) => active.replaceLimits(stored) })
  const active = new ReloadableServices({
    calls,
    log,
    fixedKeys,
    ...parts,
    lasting: {
      ...lasting,
      tenants: {
        ...tenants,
        refreshAliases: () => aliases.refresh(),
        refreshGuardrails: guardrails.refresh,
        refreshStored,
      },
      money: { ...money, refreshLimits: () => limits.refresh() },
      operations: {
        ...operations,
        ...configAdmin(configuration, withReplicas(others, late), { log, db }),
        changeLogLevel: (level, author) => changeLogLevel(db, { level, author }, refreshStored),
      },
    },
  })
  guardrails.recall()
  return { active, configuration }
}

/** An embedded database is on the same disk: if it is away, so is this file. */
function guardrailFile({ dataDir, databaseUrl }: Config, log: Logger): GuardrailFile | undefined {
  return databaseUrl ? new GuardrailFile(join(dataDir, 'guardrail-cache.json'), log) : undefined
}

/** The processes of this gateway, and those that the store knows. */
function withReplicas(others: OtherProcesses, { replica }: WithStore): OtherProcesses {
  return {
    reports: async () => {
      const own = await others.reports()
      const told = (await replica.current?.configs().catch(() => [])) ?? []
      return [...own, ...told.filter(({ process }) => !own.some((one) => one.process === process))]
    },
    prepare: (file) => others.prepare(file),
  }
}
