import { type Asking, type Names, placesOfAlias } from './alias-places.ts'
import { findBare } from './bare-names.ts'
import { findPlace, type Place } from './place.ts'
import { withinPolicy } from '../router/policy-refusals.ts'
import { notValid, refuseByPolicy } from './refusals.ts'
import { unknownModel } from './unknown-model.ts'
import { usable } from './usable.ts'

/** No request is worth more calls than this, whatever an alias lists. */
const MAX_TRIED = 16

/** What a name turned out to be. */
export type How = 'alias' | 'model' | 'wildcard' | 'bare_name'

/** What a name stands for: one model, or the targets and fallbacks of an alias in the order of this call. */
export type Resolution = { name: string; how: How; alias?: string; places: readonly Place[] }

/** In this order: an alias of exactly this name, `provider/model`, an alias with a `*`, the name of a model without a provider. */
export function resolveName(name: string, asking: Asking, context: Names): Resolution {
  const { aliases } = context
  const alias = aliases.find(name)
  const place = alias ? undefined : findPlace(name, context)
  if (place) return { name, how: 'model', places: [place] }
  const found = alias ?? aliases.match(name)
  if (!found) {
    const bare = findBare(name, asking.caller, context)
    if (!bare) throw unknownModel(name, asking.caller, context)
    return { name, how: 'bare_name', places: [bare] }
  }
  if (found.alias.fault) throw notValid(found.name, found.alias.fault)
  const places = placesOfAlias(found, name, asking, context)
  if (places.length === 0) throw unknownModel(name, asking.caller, context)
  return { name, how: alias ? 'alias' : 'wildcard', alias: found.name, places }
}

/** Whether no rule finds the name, and it may be that of a model whose provider has not been asked. */
export function isUnknownBareName(name: string, caller: Asking['caller'], context: Names): boolean {
  if (name === '' || name.startsWith('@') || !isBareName(name, context)) return false
  return findBare(name, caller, context) === undefined
}

/** Whether only the last rule can find the name. */
export function isBareName(name: string, context: Names): boolean {
  const { aliases } = context
  return !aliases.find(name) && !findPlace(name, context) && !aliases.match(name)
}

/**
 * The models that the names stand for, each checked before any is called. `check` throws for models that cannot be used. If
 * one of several models of an alias cannot be used, the others are, and models that a policy forbids are left out.
 */
export function checkedPlaces(
  names: readonly (string | Place)[],
  asking: Asking,
  context: Names,
  check: (places: readonly Place[]) => void,
): readonly Place[] {
  const found = asking.caller.policy ? withinPolicy(names, (name) => [permitted(placesOf(name))]) : names.map(placesOf)
  const [only] = found
  // Nearly every request names one model.
  if (only && found.length === 1 && only.length === 1) {
    check(only)
    return only
  }
  check(found.flatMap((places) => (places.length === 1 ? places : [])))
  return withinPolicy(found, (places) =>
    places.length === 1 ? places : usable(places, checkedAlone).slice(0, MAX_TRIED),
  )

  function permitted(places: readonly Place[]): readonly Place[] {
    if (places.length === 1) refuseByPolicy(places[0]!, asking.caller)
    return places
  }

  function placesOf(name: string | Place): readonly Place[] {
    return typeof name === 'string' ? resolveName(name, asking, context).places : [name]
  }

  function checkedAlone(place: Place): Place {
    check([place])
    return place
  }
}
