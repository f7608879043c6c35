import type { Caller } from '../../tenants/access/caller.ts'
import type { ModelType } from '../../platform/catalog/catalog.ts'
import type { ModelObject } from '../../contract/models.ts'
import { Problem } from '../../contract/problems.ts'
import { regionsShown, toObject } from './model-object.ts'
import { type Names, modelsOfAlias } from './names/alias-models.ts'
import type { ResolvedModel } from './names/resolved-model.ts'
import { refuseForbidden } from './names/refusals.ts'

/** A model as lists show it, and the kind of its endpoint. */
export type ShownModel = { shown: ModelObject; type: ModelType }

/** The aliases that this key may see, as lists show them. One with a `*` stands for names that cannot be listed. */
export function aliasObjects(caller: Caller, services: Names): ShownModel[] {
  if (services.aliases.isEmpty) return []
  const listed = services.aliases.list().filter(({ name, alias }) => !alias.hidden && !name.includes('*'))
  // The order does not matter here, and no target is to lose its turn.
  const asking = { caller, affinity: () => 0 }
  return listed.flatMap((named) => {
    const models = modelsOfAlias({ ...named, rest: undefined }, named.name, asking, services)
    return objectOfAlias(named.name, models, caller) ?? []
  })
}

/** A name that stands for these models. Undefined if the key may use none of them. */
export function objectOfAlias(name: string, models: readonly ResolvedModel[], caller: Caller): ShownModel | undefined {
  const open = models.filter((resolved) => (problemOf(resolved, caller) ?? NOT_SET_UP) === NOT_SET_UP)
  const [first] = open
  if (!first) return undefined
  const available = open.some((resolved) => !problemOf(resolved, caller))
  return { shown: { ...factsOf(name, open), available }, type: first.entry?.type ?? 'chat' }
}

/** A model that no catalog has. Only its name and its provider are known. */
export function objectOfUnlisted(resolved: ResolvedModel, caller: Caller): ShownModel | undefined {
  const { id, model, provider } = resolved
  const found = objectOfAlias(id, [resolved], caller)
  return (
    found && {
      ...found,
      shown: { ...found.shown, model_name: model, name: `${provider.name}: ${model}`, alias_of: null },
    }
  )
}

/** The only reason that a key may see: it is about the operator, and not about the key. */
const NOT_SET_UP = 'provider_not_configured'

function problemOf(resolved: ResolvedModel, caller: Caller): string | undefined {
  try {
    refuseForbidden(resolved, caller)
    return undefined
  } catch (error) {
    if (error instanceof Problem) return error.code
    throw error
  }
}

/** What is true of every target. If they are different models, that is neither a price nor a capability. */
function factsOf(name: string, models: readonly ResolvedModel[]): ModelObject {
  const [{ id, entry, provider }] = models as [ResolvedModel]
  const isOne = models.every((resolved) => resolved.id === id)
  const own = entry && isOne ? toObject(entry, provider.name) : undefined
  const contexts = models.map((resolved) => resolved.entry?.context ?? null)
  return {
    object: 'model',
    created: entry?.created ?? 0,
    owned_by: provider.id,
    context_length: contexts.includes(null) ? null : Math.min(...(contexts as number[])),
    regions: regionsShown(models.flatMap(({ regions }) => regions)),
    ...own,
    id: name,
    model_name: name,
    name,
    alias_of: id,
  }
}
