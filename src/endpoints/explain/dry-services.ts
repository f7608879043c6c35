import type { CallServices } from '../../calls/services/call-services.ts'
import { ContentCaches } from '../../calls/content-caches.ts'
import type { DryRun } from '../../calls/attempts/plan.ts'
import type { Send } from '../../translation/wire/wire.ts'
import { NotSent } from './dry-asking.ts'
import { withoutSecrets } from './without-secrets.ts'

/** What looks at the plans of a dry run, and at what they would send. */
export type DryRunner = DryRun & {
  readonly send: Send
  /** Whether a target is being asked. Engines that prepare a request work as in a real call. */
  readonly isAsking: boolean
  usesEngine(name: string): never
}

/**
 * The services of a dry run. What they have in common with the real ones is only read. No provider and no address of a caller is reached, and
 * there is no secret that could be sent.
 */
export function dryServices(services: CallServices, runner: DryRunner): CallServices {
  const refuse = async (): Promise<never> => {
    throw new NotSent()
  }
  return {
    ...services,
    config: withoutSecrets(services.config),
    dryRun: runner,
    send: runner.send,
    engine: async (name, input, signal, owner) =>
      runner.isAsking ? runner.usesEngine(name) : await services.engine(name, input, signal, owner),
    callerUrls: { checkForLater: async () => undefined, get: refuse, read: refuse },
    contentCaches: new ContentCaches(services.monotonic),
    tracing: undefined,
  }
}
