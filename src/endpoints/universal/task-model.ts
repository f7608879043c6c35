import type { Asking, Names } from '../../calls/routing/names/alias-models.ts'
import type { ModelType } from '../../platform/catalog/catalog.ts'
import imageGeneration from '../../translation/tasks/image/generation/feature.ts'
import { isEmbeddingTask } from './default-models.ts'
import { isLlmTask } from '../../translation/tasks/llm/llm-tasks.ts'
import type { Caller } from '../../tenants/access/caller.ts'
import type { CallServices } from '../../calls/services/call-services.ts'
import { providerNamed } from '../../platform/config/provider-named.ts'
import { findBare } from '../../calls/routing/names/bare-names.ts'
import { findModel, type ResolvedModel } from '../../calls/routing/names/resolved-model.ts'
import { resolveName, wishOf } from '../../calls/routing/names/resolve-name.ts'
import type { Region } from '../../platform/providers/provider.ts'
import { findAdapter } from '../../translation/tasks/adapters.ts'
import type { Feature } from '../../translation/tasks/feature.ts'

/** Who does a task: a provider, and its model if one is named. `resolved` is that model if an alias or its bare name was given. */
export type TaskModel = {
  requested: string
  model: string | null
  resolved?: ResolvedModel | undefined
  /** The region that the end of the name demands. */
  region?: Region | undefined
}

type Parts = { provider: string; model: string | null }

/** The provider and the model behind `feature/subfeature/`. An alias or a bare name may stand there, as in every `model`. */
export function modelsNamed(
  { provider, model }: Parts,
  feature: Feature,
  caller: Caller,
  services: Names,
): TaskModel[] {
  const name = model === null ? provider : `${provider}/${model}`
  const { name: plain, region } = wishOf(name, services) ?? { name }
  const named = splitPlain(plain)
  if (!services.aliases.find(name) && isKnown(named.requested, feature, services)) return [{ ...named, region }]
  const models = resolvedBy(name, { caller, kinds: kindsOf(feature) }, services)
  if (models.length === 0) return [{ requested: provider, model }]
  return models.map((resolved) => {
    const slash = resolved.id.indexOf('/')
    return { requested: resolved.id.slice(0, slash), model: resolved.id.slice(slash + 1), resolved }
  })
}

function splitPlain(name: string): { requested: string; model: string | null } {
  const slash = name.indexOf('/')
  return slash < 0
    ? { requested: name, model: null }
    : { requested: name.slice(0, slash), model: name.slice(slash + 1) }
}

function isKnown(provider: string, feature: Feature, { config }: Pick<CallServices, 'config'>): boolean {
  return findAdapter(feature, provider) !== undefined || providerNamed(provider, config.providers) !== undefined
}

/** None if the name is unknown: then the task says which providers it has. */
function resolvedBy(name: string, asking: Asking, services: Names): readonly ResolvedModel[] {
  if (!isNamed(name, asking.caller, services)) return []
  return resolveName(name, asking, services).models
}

/** The kinds of models that can do a task. */
function kindsOf(feature: Feature): readonly ModelType[] | undefined {
  if (feature === imageGeneration) return ['image']
  if (isEmbeddingTask(feature)) return ['embedding']
  return isLlmTask(feature) ? ['chat'] : undefined
}

function isNamed(written: string, caller: Caller, services: Names): boolean {
  const name = wishOf(written, services)?.name ?? written
  return Boolean(
    name &&
      (services.aliases.find(name) ??
        findModel(name, services) ??
        services.aliases.match(name) ??
        findBare(name, caller, services)),
  )
}
