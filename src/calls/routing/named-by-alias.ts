import { Problem } from '../../contract/problems.ts'
import type { Asking, Names } from './names/alias-models.ts'
import { findModel, type ResolvedModel } from './names/resolved-model.ts'
import { refuseForbidden } from './names/refusals.ts'
import { resolveName } from './names/resolve-name.ts'
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
    if (!services.aliases.find(name) && findModel(name, services)) return [name]
    const found = modelsOf(name, asking, services)
    for (const resolved of found) if (resolved.via && mayUse(resolved, asking)) models.set(resolved.id, resolved)
    return found.length > 0 ? found.map(({ id }) => id) : [name]
  })
  return { candidates, models }
}

function modelsOf(name: string, asking: Asking, services: Names): readonly ResolvedModel[] {
  try {
    return resolveName(name, asking, services).models
  } catch (error) {
    if (error instanceof Problem) return []
    throw error
  }
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
