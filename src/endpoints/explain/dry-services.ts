import type { CallServices } from '../../calls/services/call-services.ts'
import { ContentCaches } from '../../calls/content-caches.ts'
import { NotSent, type Explainer } from './explainer.ts'
import { withoutSecrets } from './without-secrets.ts'

/**
 * The services of a dry run. What they have in common with the real ones is only read. No provider and no address of a caller is reached, and
 * there is no secret that could be sent.
 */
export function dryServices(services: CallServices, explainer: Explainer): CallServices {
  const refuse = async (): Promise<never> => {
    throw new NotSent()
  }
  return {
    ...services,
    config: withoutSecrets(services.config),
    dryRun: explainer,
    send: explainer.send,
    engine: async (name, input, signal, owner) =>
      explainer.isAsking ? explainer.usesEngine(name) : await services.engine(name, input, signal, owner),
    callerUrls: { checkForLater: async () => undefined, get: refuse, read: refuse },
    contentCaches: new ContentCaches(services.monotonic),
    tracing: undefined,
  }
}
