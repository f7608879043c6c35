import { Problem } from '../../contract/problems.ts'
import type { Asking, Names } from './names/alias-models.ts'
import { findModel, type ResolvedModel } from './names/resolved-model.ts'
import { refuseForbidden } from './names/refusals.ts'
import { resolvedOrNone } from './names/resolve-name.ts'
import { MAX_CANDIDATES } from './router/named-candidates.ts'

type Named = { candidates?: string[]; models: ReadonlyMap<string, ResolvedModel> }

const NONE: ReadonlyMap<string, ResolvedModel> = new Map()

/**
 * The candidates of the router as `provider/model`. An alias stands for its targets and fallbacks; `models` are those that an
 * alias names and the key may use. An unknown name stays, and the router reports it.
 */
export function namedByAlias(names: readonly string[] | null | undefined, asking: Asking, services: Names): Named {
  if (!names || names.length > MAX_CANDIDATES) return { models: NONE }
  const models = new Map<string, ResolvedModel>()
  const candidates = names.flatMap((name) => {
    const model = services.aliases.find(name) ? undefined : findModel(name, services)
    if (model) return [model.id]
    const found = resolvedOrNone(name, asking, services)?.models ?? []
    for (const resolved of found) if (resolved.via && mayUse(resolved, asking)) models.set(resolved.id, resolved)
    return found.length > 0 ? found.map(({ id }) => id) : [name]
  })
  return { candidates, models }
}

function mayUse(resolved: ResolvedModel, { caller }: Asking): boolean {
  try {
    refuseForbidden(resolved, caller)
    return true
  } catch (error) {
    if (error instanceof Problem) return false
    throw error
  }
}
