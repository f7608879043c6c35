import { counterFor } from './counters/index.ts'
import type { Caller } from '../../tenants/access/caller.ts'
import type { Names } from '../../calls/routing/names/alias-models.ts'
import { findBare } from '../../calls/routing/names/bare-names.ts'
import type { ResolvedModel } from '../../calls/routing/names/resolved-model.ts'
import { CHAT_KINDS } from '../../calls/routing/chat-targets.ts'
import { refuseEnded, refuseForbidden } from '../../calls/routing/names/refusals.ts'
import { checkedModels, isBareName, wishOf } from '../../calls/routing/names/resolve-name.ts'

/** Finds the model to count for. An alias is counted for the same target every time. */
export function findCounted(name: string, caller: Caller, services: Names): ResolvedModel {
  const isPlainBare = isBareName(name, services) && !wishOf(name, services)
  const bare = isPlainBare ? findBare(name, caller, services, { rankOf, kinds: CHAT_KINDS }) : undefined
  const asking = { caller, affinity: () => 0, isLook: true, kinds: CHAT_KINDS }
  const [resolved] = checkedModels([bare ?? name], asking, services, (found) => {
    refuseEnded(found)
    // Counting needs no credential: without one, the gateway estimates.
    for (const one of found) refuseForbidden({ ...one, provider: { ...one.provider, configured: true } }, caller)
  })
  return resolved!
}

/** A model has the same vocabulary at every host, so one that counts itself and has a credential here is the best. */
function rankOf({ provider, model }: ResolvedModel): number {
  return provider.configured && counterFor(provider, model) ? 0 : 1
}
