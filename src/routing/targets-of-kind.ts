import type { ModelType } from '../catalog/catalog.ts'
import type { Caller } from '../access/caller.ts'
import { findAnyModel, refuseEnded, refuseForbidden, refuseOtherKinds } from './find-model.ts'
import type { AppContext } from '../app/context.ts'
import { type ChatTarget, toTarget } from './route.ts'

/** The kinds of models that an endpoint serves, and the endpoint's name for error messages. */
export type Served = { kinds: readonly [ModelType, ...ModelType[]]; endpoint: string }

type Known = Pick<AppContext, 'config' | 'catalog' | 'limits'>

/** Targets of the kinds that an endpoint serves. All are checked before any is called. */
export function targetsOfKind(ids: readonly string[], served: Served, caller: Caller, context: Known): ChatTarget[] {
  const places = ids.map((id) => findAnyModel(id, context))
  const [kind, ...more] = served.kinds
  refuseEnded(places, kind)
  const others = places.filter(({ entry }) => !entry || !more.includes(entry.type))
  refuseOtherKinds(others, kind, served.endpoint)
  for (const place of places) refuseForbidden(place, caller)
  return places.map((place) => toTarget(place, context))
}
