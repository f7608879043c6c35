import type { ModelType } from '../../platform/catalog/catalog.ts'
import type { Asking } from './names/alias-models.ts'
import type { ResolvedModel } from './names/resolved-model.ts'
import { refuseEnded, refuseForbidden, refuseOtherKinds } from './names/refusals.ts'
import { checkedModels } from './names/resolve-name.ts'
import type { CallServices } from '../services/call-services.ts'
import { type ChatTarget, toTarget } from './chat-targets.ts'

/** The kinds of models that an endpoint serves, and the endpoint's name for error messages. */
export type Served = {
  kinds: readonly [ModelType, ...ModelType[]]
  endpoint: string
  /** Throws for a target that the endpoint cannot ask for another reason. */
  check?: ((target: ChatTarget) => void) | undefined
}

/** What finding the targets of a request needs. */
export type TargetServices = Pick<CallServices, 'config' | 'catalog' | 'aliases' | 'observations' | 'timeouts'>

/** Targets of the kinds that an endpoint serves. All are checked before any is called. */
export function targetsOfKind(
  names: readonly (string | ResolvedModel)[],
  served: Served,
  asking: Asking,
  services: TargetServices,
): ChatTarget[] {
  const [kind, ...more] = served.kinds
  const { caller } = asking
  const named = { ...asking, kinds: served.kinds }
  const models = checkedModels(names, named, services, (found) => {
    refuseEnded(found, kind)
    const others = found.filter(({ entry }) => !entry || !more.includes(entry.type))
    refuseOtherKinds(others, kind, served.endpoint)
    for (const resolved of found) refuseForbidden(resolved, caller)
    for (const resolved of found) served.check?.(toTarget(resolved, services))
  })
  return models.map((resolved) => toTarget(resolved, services))
}
