import { createHash } from 'node:crypto'
import { type AliasTarget, hasParams } from '../../../platform/config/aliases/alias.ts'
import type { AliasTable, FoundAlias } from '../../../platform/config/aliases/alias-table.ts'
import { leaksCredential } from '../../../platform/config/aliases/own-host.ts'
import { targetProvider } from '../../../platform/config/aliases/target-provider.ts'
import { ConfigError } from '../../../platform/config/config-error.ts'
import type { ConfigSource } from '../../../platform/config/config-source.ts'
import type { ModelType } from '../../../platform/catalog/catalog.ts'
import type { Provider } from '../../../platform/config/provider-settings.ts'
import { regionsOfModel } from '../../../platform/providers/model-regions.ts'
import type { CallServices } from '../../services/call-services.ts'
import { isInRegion } from '../../../platform/providers/model-regions.ts'
import { findBare, findHosts, isListedName } from './bare-names.ts'
import { wishIn } from './name-suffix.ts'
import type { Note } from '../../../translation/dialects/chat-codec.ts'
import type { SeenByOwner } from '../../attempts/observations.ts'
import { hostsInOrder, type HostWishes } from './host-order.ts'
import { findModel, type ResolvedModel, splitName, type Via } from './resolved-model.ts'
import { orderedTargets } from './target-order.ts'

/**
 * Who asks, a number that is the same for all requests of a conversation, the order of the hosts of a model, the providers that the
 * request allows, and the kinds of models that its endpoint serves: a name without a provider means one of these, if there is one.
 */
export type Asking = HostWishes & {
  kinds?: readonly ModelType[] | undefined
  allowedProviders?: readonly string[] | null | undefined
  /** The wire format of the request: hosts that speak it are better than others, because nothing is lost on the way. */
  dialect?: string | undefined
  /** Only the first model that a name stands for may be asked. */
  isOnlyFirst?: boolean | undefined
  /** Nothing is called: the order of the hosts does not matter, and no target is to lose its turn. */
  isLook?: boolean | undefined
  /** Tells the caller about a wish that is not carried out. */
  note?: ((note: Note) => void) | undefined
}

export type Names = Pick<CallServices, 'config' | 'catalog' | 'aliases'> & { observations: SeenByOwner }

const MAX_KEPT = 5_000
const DIGEST_CHARS = 8

/** The targets of an alias in the order of this call, and then its fallbacks. Those that do not exist here are left out. */
export function modelsOfAlias(found: FoundAlias, requested: string, asking: Asking, services: Names): ResolvedModel[] {
  const models = targetsOfAlias(found, requested, asking, services)
  for (const name of found.alias.fallbacks ?? []) {
    // An alias stands for its targets here, and not for its fallbacks: so no alias leads back to itself.
    const other = services.aliases.find(name)
    const resolved = other ? undefined : findModel(name, services)
    const matched = other ?? (resolved ? undefined : services.aliases.match(name))
    if (matched) models.push(...targetsOfAlias(matched, requested, asking, services))
    else {
      const named = oneModel(name, asking, services)
      if (named) models.push(throughAlias(named, { requested, alias: found.alias }, services.aliases))
    }
  }
  return models.length > 1 ? withoutRepeats(models) : models
}

function targetsOfAlias(found: FoundAlias, requested: string, asking: Asking, services: Names): ResolvedModel[] {
  const { alias, rest, ownedBy } = found
  return orderedTargets(alias, asking.affinity).flatMap((target) => {
    const { model, credential } = target
    const name = rest === undefined ? model : model.replace('*', () => rest)
    const resolved = modelOfTarget({ name, target, ownedBy }, asking, services)
    if (!resolved) return []
    return [throughAlias(resolved, { requested, alias, credential, address: addressName(target) }, services.aliases)]
  })
}

type NamedTarget = { name: string; target: AliasTarget; ownedBy: FoundAlias['ownedBy'] }

/** A target is never an alias, so that the alias `gpt-4o` can have the target `gpt-4o`. */
function modelOfTarget(
  { name, target, ownedBy }: NamedTarget,
  asking: Asking,
  services: Names,
): ResolvedModel | undefined {
  if (!hasParams(target)) return oneModel(name, asking, services)
  const { provider, model } = splitName(name, services.config.providers)
  if (!provider || !model) return undefined
  const own = ownProvider(target, provider, ownedBy, services)
  if (!own) return undefined
  const entry = services.catalog.find(provider.id, model)
  const regions = regionsOfModel(own, model, entry && { regions: entry.listedRegions })
  return { id: `${provider.id}/${model}`, provider: own, model: target.deployment ?? model, entry, regions }
}

/** A name in an alias is one model: of the hosts of a bare name the maker, or the first as the end of the name wishes. */
function oneModel(name: string, asking: Asking, services: Names): ResolvedModel | undefined {
  const { caller } = asking
  const found = findModel(name, services)
  const wish = found?.entry || isListedName(name, services) ? undefined : wishIn(name)
  if (!wish) return found ?? findBare(name, caller, services, asking)
  const { sort, region } = wish
  const named = findModel(wish.name, services)
  const hosts = named ? [named] : findHosts(wish.name, caller, services, asking)
  const near = region ? hosts.filter(({ regions }) => isInRegion(region, regions)) : hosts
  return sort && near.length > 1 ? hostsInOrder(near, { ...asking, sort }, services)[0] : near[0]
}

/** The rotation of credentials is kept by provider, so a target keeps its provider as long as the configuration is the same. */
const ownProviders = new WeakMap<AliasTarget, { of: Provider; own: Provider | undefined }>()

/** Undefined if the target has become impossible since it was stored: by another config file, or another credential. */
function ownProvider(
  target: AliasTarget,
  provider: Provider,
  ownedBy: FoundAlias['ownedBy'],
  { config: { source } }: Names,
): Provider | undefined {
  const cached = ownProviders.get(target)
  if (cached?.of === provider) return cached.own
  const isFit = ownedBy === 'file' || !leaksCredential(target, provider, source)
  const own = isFit ? possibleProvider(target, provider, source) : undefined
  ownProviders.set(target, { of: provider, own })
  return own
}

function possibleProvider(target: AliasTarget, provider: Provider, source: ConfigSource): Provider | undefined {
  try {
    return targetProvider(target, provider, source)
  } catch (error) {
    if (error instanceof ConfigError) return undefined
    throw error
  }
}

/** The same object for the same target, because what is computed for a resolved model is kept under this object. */
const modelsOfTables = new WeakMap<AliasTable, Map<string, ResolvedModel>>()

function throughAlias(resolved: ResolvedModel, via: Via, aliases: AliasTable): ResolvedModel {
  const models = modelsOfTables.get(aliases) ?? new Map<string, ResolvedModel>()
  const key = JSON.stringify([via.requested, resolved.id, via.credential, via.address])
  const cached = models.get(key)
  if (cached?.provider === resolved.provider && cached.entry === resolved.entry && cached.via!.alias === via.alias)
    return cached
  const fresh = { ...resolved, via }
  if (models.size >= MAX_KEPT) models.clear()
  modelsOfTables.set(aliases, models.set(key, fresh))
  return fresh
}

function withoutRepeats(models: readonly ResolvedModel[]): ResolvedModel[] {
  const seen = new Set<string>()
  return models.filter(({ id, via }) => {
    const key = `${id} ${via?.credential} ${via?.address}`
    return !seen.has(key) && seen.add(key)
  })
}

/** The same in every process, and without the address itself, which may be secret. */
function addressName(target: AliasTarget): string | undefined {
  if (!hasParams(target)) return undefined
  const { baseUrl, region, project, deployment, apiVersion } = target
  const text = JSON.stringify([baseUrl, region, project, deployment, apiVersion])
  return createHash('sha256').update(text).digest('hex').slice(0, DIGEST_CHARS)
}
