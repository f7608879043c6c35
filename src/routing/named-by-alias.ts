import { Problem } from '../contract/problems.ts'
import type { Asking, Names } from './names/alias-places.ts'
import { findPlace, type Place } from './names/place.ts'
import { refuseForbidden } from './names/refusals.ts'
import { resolveName } from './names/resolve-name.ts'
import { MAX_CANDIDATES } from './router/named-candidates.ts'

type Named = { candidates?: string[]; places: ReadonlyMap<string, Place> }

const NONE: ReadonlyMap<string, Place> = new Map()

/**
 * The candidates of the router as `provider/model`. An alias stands for its targets and fallbacks; `places` are those that an
 * alias names and the key may use. A name that nobody knows stays, and the router reports it.
 */
export function namedByAlias(names: readonly string[] | null | undefined, asking: Asking, context: Names): Named {
  if (!names || names.length > MAX_CANDIDATES) return { places: NONE }
  const places = new Map<string, Place>()
  const candidates = names.flatMap((name) => {
    if (!context.aliases.find(name) && findPlace(name, context)) return [name]
    const found = placesOf(name, asking, context)
    for (const place of found) if (place.via && mayUse(place, asking)) places.set(place.id, place)
    return found.length > 0 ? found.map(({ id }) => id) : [name]
  })
  return { candidates, places }
}

function placesOf(name: string, asking: Asking, context: Names): readonly Place[] {
  try {
    return resolveName(name, asking, context).places
  } catch (error) {
    if (error instanceof Problem) return []
    throw error
  }
}

function mayUse(place: Place, { caller }: Asking): boolean {
  try {
    refuseForbidden(place, caller)
    return true
  } catch (error) {
    if (error instanceof Problem) return false
    throw error
  }
}
