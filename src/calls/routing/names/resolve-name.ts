import { type Asking, type Names, modelsOfAlias } from './alias-models.ts'
import { Problem } from '../../../contract/problems.ts'
import { findBare } from './bare-names.ts'
import { findModel, type ResolvedModel } from './resolved-model.ts'
import { withinPolicy } from '../router/policy-refusals.ts'
import { noneAllowed, notValid, refuseByPolicy } from './refusals.ts'
import { unknownModel } from './unknown-model.ts'
import { usable } from './usable.ts'

/** No request is worth more calls than this, whatever an alias lists. */
const MAX_TRIED = 16

/** What a name turned out to be. */
type How = 'alias' | 'model' | 'wildcard' | 'bare_name'

/** What a name stands for: one model, or the targets and fallbacks of an alias in the order of this call. */
type Resolution = { name: string; how: How; alias?: string; models: readonly ResolvedModel[] }

/** In this order: an alias of exactly this name, `provider/model`, an alias with a `*`, the name of a model without a provider. */
export function resolveName(name: string, asking: Asking, services: Names): Resolution {
  const resolution = resolutionOf(name, asking, services)
  const { allowedProviders: allowed } = asking
  if (!allowed) return resolution
  const models = resolution.models.filter(({ provider }) => allowed.includes(provider.id))
  if (models.length === 0) throw noneAllowed(resolution, allowed)
  return { ...resolution, models }
}

function resolutionOf(name: string, asking: Asking, services: Names): Resolution {
  const { aliases } = services
  const alias = aliases.find(name)
  const resolved = alias ? undefined : findModel(name, services)
  if (resolved) return { name, how: 'model', models: [resolved] }
  const found = alias ?? aliases.match(name)
  if (!found) {
    const bare = findBare(name, asking.caller, services, asking)
    if (!bare) throw unknownModel(name, asking.caller, services)
    return { name, how: 'bare_name', models: [bare] }
  }
  if (found.alias.fault) throw notValid(found.name, found.alias.fault)
  const models = modelsOfAlias(found, name, asking, services)
  if (models.length === 0) throw unknownModel(name, asking.caller, services)
  return { name, how: alias ? 'alias' : 'wildcard', alias: found.name, models }
}

/** Like resolveName, for a look at what a name stands for: undefined if it stands for nothing, which routing reports. */
export function resolvedOrNone(name: string, asking: Asking, services: Names): Resolution | undefined {
  try {
    // The order of the targets does not matter for a look, and no target is to lose its turn.
    return resolveName(name, { affinity: () => 0, ...asking }, services)
  } catch (error) {
    if (error instanceof Problem) return undefined
    throw error
  }
}

/** Whether no rule finds the name, and it may be that of a model whose provider has not been asked. */
export function isUnknownBareName(name: string, caller: Asking['caller'], services: Names): boolean {
  if (name === '' || name.startsWith('@') || !isBareName(name, services)) return false
  return findBare(name, caller, services) === undefined
}

/** Whether only the last rule can find the name. */
export function isBareName(name: string, services: Names): boolean {
  const { aliases } = services
  return !aliases.find(name) && !findModel(name, services) && !aliases.match(name)
}

/**
 * The models that the names stand for, each checked before any is called. `check` throws for models that cannot be used. If
 * one of several models of an alias cannot be used, the others are, and models that a policy forbids are left out.
 */
export function checkedModels(
  names: readonly (string | ResolvedModel)[],
  asking: Asking,
  services: Names,
  check: (models: readonly ResolvedModel[]) => void,
): readonly ResolvedModel[] {
  const found = asking.caller.policy ? withinPolicy(names, (name) => [permitted(modelsOf(name))]) : names.map(modelsOf)
  const [only] = found
  // Nearly every request names one model.
  if (only && found.length === 1 && only.length === 1) {
    check(only)
    return only
  }
  check(found.flatMap((models) => (models.length === 1 ? models : [])))
  return withinPolicy(found, (models) =>
    models.length === 1 ? models : usable(models, checkedAlone).slice(0, MAX_TRIED),
  )

  function permitted(models: readonly ResolvedModel[]): readonly ResolvedModel[] {
    if (models.length === 1) refuseByPolicy(models[0]!, asking.caller)
    return models
  }

  function modelsOf(name: string | ResolvedModel): readonly ResolvedModel[] {
    return typeof name === 'string' ? resolveName(name, asking, services).models : [name]
  }

  function checkedAlone(resolved: ResolvedModel): ResolvedModel {
    check([resolved])
    return resolved
  }
}
