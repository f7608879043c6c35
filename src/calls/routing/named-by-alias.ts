import { Problem } from '../../contract/problems.ts'
import type { Asking, Names } from './names/alias-models.ts'
import type { ResolvedModel } from './names/resolved-model.ts'
import { refuseForbidden } from './names/refusals.ts'
import { resolvedOrProblem } from './names/resolve-name.ts'
import { MAX_CANDIDATES } from './router/named-candidates.ts'
import type { Refused } from './router/refusal.ts'
import { shortened } from './router/shortened.ts'

type Named = {
  candidates?: string[]
  models: ReadonlyMap<string, ResolvedModel>
  /** Names that stand for nothing, which the decision reports. */
  unrankable?: Refused[]
}

const NONE: ReadonlyMap<string, ResolvedModel> = new Map()

/**
 * The candidates of the router as `provider/model`. An alias stands for its targets and fallbacks, and a name without a provider for
 * all hosts of the model; `models` are those that an alias names and the key may use.
 */
export function namedByAlias(names: readonly string[] | null | undefined, asking: Asking, services: Names): Named {
  if (!names || names.length > MAX_CANDIDATES) return { models: NONE }
  const models = new Map<string, ResolvedModel>()
  const unrankable: Refused[] = []
  const candidates = names.flatMap((name) => {
    const found = resolvedOrProblem(name, asking, services)
    if (found instanceof Problem) {
      unrankable.push({ id: shortened(name), reason: found.code === 'region_not_allowed' ? 'region' : 'unknown' })
      return []
    }
    for (const resolved of found.models) if (resolved.via && mayUse(resolved, asking)) models.set(resolved.id, resolved)
    return found.models.map(({ id }) => id)
  })
  return { candidates: [...new Set(candidates)], models, unrankable }
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
