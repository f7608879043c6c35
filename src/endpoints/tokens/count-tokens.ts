import type { CountRequest } from './counters/index.ts'
import { counterFor } from './counters/index.ts'
import { countOffline } from './count-offline.ts'
import { runParts } from '../../calls/attempts/run-call.ts'
import type { Call } from '../../calls/call.ts'
import { refuseProviderFiles } from '../../calls/upstream/responses/provider-files.ts'
import type { ResolvedModel } from '../../calls/routing/names/resolved-model.ts'
import type { CallServices } from '../../calls/services/call-services.ts'
import { cacheKey, type Count, TokenCache } from './token-cache.ts'
import { askCounter } from './token-counter.ts'
import { findCounted } from './token-model.ts'
import { withUploads } from './with-uploads.ts'

/** `text` is the body as the caller sent it. */
type CountCall = CountRequest & { text: string }

/** Counts the tokens of a request in the messages format. No model runs, and the call is free. */
export function countTokens(input: CountCall, call: Call, services: CallServices): Promise<Count> {
  return runParts(
    async () => {
      const resolved = findCounted(input.request.model, call.caller, services)
      call.record.asks({ id: resolved.id, provider: resolved.provider })
      const { messages } = input.request
      refuseProviderFiles({ request: { messages } }, resolved.provider.allowFields)
      const read = await withUploads(messages, call, services)
      if (!read) return await count(input, resolved, call, services)
      const request = { ...input.request, messages: read.messages }
      // The originals in other formats name the files, which no provider has.
      const whole = { request, betas: input.betas, text: JSON.stringify(request) }
      return read.isWhole ? await count(whole, resolved, call, services) : await estimate(whole, resolved, call)
    },
    call,
    services,
  )
}

/** The provider counts if it can and there is a credential for it; otherwise the gateway estimates. */
async function count(input: CountCall, resolved: ResolvedModel, call: Call, services: CallServices): Promise<Count> {
  const cache = cacheOf(services)
  const key = cacheKey(call.caller, resolved.id, input.text, input.betas)
  const cached = cache.get(call.caller.owner, key)
  if (cached) return cached
  const counter = maySend(resolved, call, services) ? counterFor(resolved.provider, resolved.model) : undefined
  const reported = counter && (await askCounter({ counter, resolved, input }, call, services))
  const counted = reported === undefined ? await estimate(input, resolved, call) : { tokens: reported, exact: true }
  // A counter that failed may work again for the next request, so the estimate is not cached.
  if (counted.exact || !counter) cache.set(call.caller.owner, key, counted)
  return counted
}

async function estimate({ text }: CountCall, { model }: ResolvedModel, { caller, signal }: Call): Promise<Count> {
  return { tokens: await countOffline({ text, model, owner: caller.owner }, signal), exact: false }
}

/** A sandbox key never reaches a provider. Nothing is sent that guardrails have not seen. */
function maySend(
  { provider }: ResolvedModel,
  { caller }: Call,
  { guardrails }: Pick<CallServices, 'guardrails'>,
): boolean {
  return provider.configured && caller.kind !== 'sandbox' && !guardrails.enforcesFor(caller)
}

/** One cache per gateway. */
const caches = new WeakMap<CallServices, TokenCache>()

function cacheOf(services: CallServices): TokenCache {
  const cached = caches.get(services)
  if (cached) return cached
  const made = new TokenCache(services.monotonic)
  caches.set(services, made)
  return made
}
