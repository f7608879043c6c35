import type { FastifyInstance } from 'fastify'
import type { Logger } from 'pino'
import { ActiveContext } from './active-context.ts'
import type { AppContext } from './app/context.ts'
import type { Config } from './config/config.ts'
import { Configuration } from './configuration.ts'
import type { Egress } from './net/egress/guarded-fetch.ts'
import { fixedKeys } from './open-keys.ts'
import { configAdmin, NO_OTHERS, type OtherProcesses } from './reload-config.ts'

type Parts = {
  egress: Egress
  openEgress(config: Config): Egress
  listeners: readonly FastifyInstance[]
  /** Known to all processes that share the store; undefined until the store has been reached. */
  linkSecret(): string | undefined
  others: OtherProcesses | undefined
}

/** Makes the configuration of the first context replaceable, and lets the context describe and reload it. */
export function openConfiguration(
  context: AppContext,
  { linkSecret, others = NO_OTHERS, ...parts }: Parts,
  log: Logger,
) {
  const active = new ActiveContext({ context, log, fixedKeys, ...parts })
  const configuration = new Configuration({
    config: context.config,
    prepare: (next) => active.prepare(next),
    stored: () => [{ path: ['store', 'linkSecret'], value: linkSecret(), origin: 'store' }],
    digestKey: () => linkSecret() ?? '',
    log,
    now: context.now,
  })
  Object.assign(context, configAdmin(configuration, others, log))
  return { active, configuration }
}
