import type { AppContext } from '../app/context.ts'
import { ContentCaches } from '../calls/content-caches.ts'
import { NotSent, type Explainer } from './explainer.ts'
import { withoutSecrets } from './without-secrets.ts'

/**
 * The context of a dry run. What it has in common with the real one is only read. No provider and no address of a caller is reached, and
 * there is no secret that could be sent.
 */
export function dryContext(context: AppContext, explainer: Explainer): AppContext {
  const refuse = async (): Promise<never> => {
    throw new NotSent()
  }
  return {
    ...context,
    config: withoutSecrets(context.config),
    dryRun: explainer,
    send: explainer.send,
    engine: async (name, input, signal, owner) =>
      explainer.isAsking ? explainer.usesEngine(name) : await context.engine(name, input, signal, owner),
    callerUrls: { admit: async () => undefined, get: refuse, read: refuse },
    contentCaches: new ContentCaches(context.monotonic),
    tracing: undefined,
  }
}
