import { type Asking, type Names, modelsOfAlias } from './alias-models.ts'
import { Problem } from '../../../contract/problems.ts'
import { isInRegion } from '../../../platform/providers/model-regions.ts'
import type { Note } from '../../../translation/dialects/chat-codec.ts'
import { findBare, findHosts, isListedName } from './bare-names.ts'
import { hostsInOrder } from './host-order.ts'
import { type Wish, wishIn } from './name-suffix.ts'
import { findModel, type ResolvedModel } from './resolved-model.ts'
import { withinPolicy } from '../router/policy-refusals.ts'
import { shortened } from '../router/shortened.ts'
import { noneAllowed, notValid, outsideRegion, refuseByPolicy } from './refusals.ts'
import { unknownModel } from './unknown-model.ts'
import { usable } from './usable.ts'

/** No request is worth more calls than this, whatever an alias lists. */
const MAX_TRIED = 16

/** What a name turned out to be. */
type How = 'alias' | 'model' | 'wildcard' | 'bare_name'

/** What a name stands for: one model, or the targets and fallbacks of an alias in the order of this call. */
type Resolution = { name: string; how: How; alias?: string; models: readonly ResolvedModel[] }

/**
 * In this order: an alias of exactly this name, `provider/model`, an alias with a `*`, the name of a model without a provider, which
 * stands for all hosts of the model. The name may end with a wish about them (`name-suffix.ts`).
 */
export function resolveName(name: string, asking: Asking, services: Names): Resolution {
  const resolution = wishedOf(name, asking, services)
  const { allowedProviders: allowed } = asking
  if (!allowed) return resolution
  const models = resolution.models.filter(({ provider }) => allowed.includes(provider.id))
  if (models.length === 0) throw noneAllowed(resolution, allowed)
  return { ...resolution, models }
}

/** A wish in the name comes before that of the request, and holds for this name only. */
function wishedOf(name: string, asking: Asking, services: Names): Resolution {
  const wish = wishOf(name, services)
  if (!wish) return resolutionOf(name, asking, services)
  const { sort = asking.sort, region } = wish
  const resolution = resolutionOf(wish.name, { ...asking, sort }, services)
  if (!region) return { ...resolution, name }
  const models = resolution.models.filter(({ regions }) => isInRegion(region, regions))
  if (models.length === 0) throw outsideRegion(`The model '${shortened(wish.name)}'`, { region })
  return { ...resolution, name, models: models.map((model) => ({ ...model, demanded: region })) }
}

/** A name that exists as it is has no suffix. */
export function wishOf(name: string, services: Names): Wish | undefined {
  const wish = wishIn(name)
  if (!wish || services.aliases.find(name) || findModel(name, services)?.entry) return undefined
  return isListedName(name, services) ? undefined : wish
}

function resolutionOf(name: string, asking: Asking, services: Names): Resolution {
  const { aliases } = services
  const alias = aliases.find(name)
  const resolved = alias ? undefined : findModel(name, services)
  if (resolved) return { name, how: 'model', models: [resolved] }
  const found = alias ?? aliases.match(name)
  if (!found) return { name, how: 'bare_name', models: hostsOf(name, asking, services) }
  if (found.alias.fault) throw notValid(found.name, found.alias.fault)
  const models = modelsOfAlias(found, name, asking, services)
  if (models.length === 0) throw unknownModel(name, asking.caller, services)
  if (asking.sort && models.length > 1) asking.note?.(NOT_SORTED)
  return { name, how: alias ? 'alias' : 'wildcard', alias: found.name, models }
}

const NOT_SORTED: Note = {
  field: 'routing.sort',
  action: 'dropped',
  reason: 'an alias has an order of its own, by the weights of its targets',
}

function hostsOf(name: string, asking: Asking, services: Names): readonly ResolvedModel[] {
  const hosts = findHosts(name, asking.caller, services, asking)
  if (hosts.length === 0) throw unknownModel(name, asking.caller, services)
  // The simulated provider answers for every host, so the maker stands for all of them.
  const isMakerFirst = services.config.bareNames === 'maker' || asking.caller.kind === 'sandbox'
  if (isMakerFirst && !asking.sort) return hosts.slice(0, 1)
  return hosts.length === 1 || asking.isLook ? hosts : hostsInOrder(hosts, asking, services)
}

/** Like resolveName, for a look at what a name stands for: undefined if it stands for nothing, which routing reports. */
export function resolvedOrNone(name: string, asking: Asking, services: Names): Resolution | undefined {
  const found = resolvedOrProblem(name, asking, services)
  return found instanceof Problem ? undefined : found
}

/** The same with the reason why it stands for nothing. */
export function resolvedOrProblem(name: string, asking: Asking, services: Names): Resolution | Problem {
  try {
    return resolveName(name, { affinity: () => 0, isLook: true, ...asking }, services)
  } catch (error) {
    if (error instanceof Problem) return error
    throw error
  }
}

/** Whether no rule finds the name, and it may be that of a model whose provider has not been asked. */
export function isUnknownBareName(name: string, caller: Asking['caller'], services: Names): boolean {
  const plain = wishOf(name, services)?.name ?? name
  if (plain === '' || plain.startsWith('@') || !isBareName(plain, services)) return false
  return findBare(plain, caller, services) === undefined
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
    models.length === 1 ? models : usable(models, checkedAlone).slice(0, asking.isOnlyFirst ? 1 : MAX_TRIED),
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
