import { CountTokensRequest } from '../contract/tokens.ts'
import type { CountAsked } from '../tokens/counters/index.ts'
import { counterFor } from '../tokens/counters/index.ts'
import { countOffline } from '../tokens/count-offline.ts'
import { type Call, closeCall, failCall } from './call.ts'
import { isCustomized } from './customized.ts'
import type { Place } from './find-model.ts'
import type { Outside } from './outside.ts'
import { cacheKey, type Count, TokenCache } from './token-cache.ts'
import { askCounter } from './token-counter.ts'
import { findCounted } from './token-model.ts'

/** `text` is the body as the caller wrote it. */
export type CountCall = CountAsked & { text: string }

/** How large a request in the messages format is for a model. Nothing is run, and nothing is paid for. */
export async function countTokens(asked: CountCall, call: Call, outside: Outside): Promise<Count> {
  try {
    const place = findCounted(asked.request.model, call.caller, outside)
    call.model = place.id
    call.provider = place.provider.id
    call.cost = 0
    call.isCustomized = () => asked.betas !== undefined || isCustomized(asked.request, CountTokensRequest)
    return await count(asked, place, call, outside)
  } catch (error) {
    throw failCall(call, error)
  } finally {
    closeCall(call, outside)
  }
}

/** By the provider, where we have a credential for it and it counts; otherwise here, which is an estimate. */
async function count(asked: CountCall, place: Place, call: Call, outside: Outside): Promise<Count> {
  const cache = cacheOf(outside)
  const key = cacheKey(call.caller, place.id, asked.text, asked.betas)
  const known = cache.get(call.caller.owner, key)
  if (known) return known
  const counter = maySend(place, call) ? counterFor(place.provider, place.model) : undefined
  const told = counter && (await askCounter(counter, place, asked, call, outside))
  const tokens =
    told ?? (await countOffline({ text: asked.text, model: place.model, owner: call.caller.owner }, call.signal))
  const counted = { tokens, exact: told !== undefined }
  // A counter that failed may be well again for the next request.
  if (counted.exact || !counter) cache.set(call.caller.owner, key, counted)
  return counted
}

/** A sandbox key never reaches a provider. */
function maySend({ provider }: Place, { caller }: Call): boolean {
  return provider.configured && caller.kind !== 'sandbox'
}

/** Each gateway has one. */
const caches = new WeakMap<Outside, TokenCache>()

function cacheOf(outside: Outside): TokenCache {
  const known = caches.get(outside)
  if (known) return known
  const made = new TokenCache(outside.now)
  caches.set(outside, made)
  return made
}
