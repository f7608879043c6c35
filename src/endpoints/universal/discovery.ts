import type { ModelServices } from '../../calls/routing/names/resolved-model.ts'
import type { Catalog, Model } from '../../platform/catalog/catalog.ts'
import { defaultTaskModel, pricedModels, priceOfTask, type TaskPrice } from '../../platform/catalog/task-prices.ts'
import type { Provider } from '../../platform/config/provider-settings.ts'
import { Problem, problem } from '../../contract/problems.ts'
import { acceptedBy } from '../../translation/tasks/accepted-by.ts'
import { findAdapter, providersOf } from '../../translation/tasks/adapters.ts'
import type { Feature } from '../../translation/tasks/feature.ts'
import imageGeneration from '../../translation/tasks/image/generation/feature.ts'
import { FEATURES, findFeature } from '../../translation/tasks/index.ts'
import { isLlmTask } from '../../translation/tasks/llm/llm-tasks.ts'
import { fileFieldsIn } from '../../translation/tasks/file-fields.ts'
import { jsonSchema, simplifiedSchema } from '../../translation/tasks/simplified-schema.ts'
import { GLOBAL_ONLY, isInRegion, regionsOfModel } from '../../platform/providers/model-regions.ts'
import type { Region } from '../../platform/providers/provider.ts'
import type { Caller } from '../../tenants/access/caller.ts'
import { providerNamed } from '../../platform/config/provider-named.ts'
import { listModels } from '../../calls/routing/models.ts'
import { regionsShown } from '../../calls/routing/model-object.ts'
import { keepsDataPolicy } from '../../calls/routing/router/policy-refusals.ts'
import type { CallServices } from '../../calls/services/call-services.ts'
import { defaultModels, isEmbeddingTask } from './default-models.ts'
import { DRAWN_FROM } from './task-images.ts'
import { taskTargets } from './task-targets.ts'

// Describes the tasks: their fields, providers and prices. Made from the same schemas that validate requests.

const NAMES: Record<string, string> = { ocr: 'OCR' }
const TOKENS_OF_PRICE = 1_000_000

export function listFeatures(caller: Caller, services: CallServices) {
  const names = [...new Set(FEATURES.map(({ feature }) => feature))]
  return { features: names.map((name) => describeFeature(name, caller, services)) }
}

export function describeFeature(name: string, caller: Caller, services: CallServices) {
  const tasks = FEATURES.filter(({ feature }) => feature === name)
  if (tasks.length === 0)
    throw problem('not_found', { message: `There is no feature '${name.slice(0, 100)}'. See GET /v3/info.` })
  const subfeatures = tasks.map((task) => ({
    ...summaryOf(task),
    models: listTaskModels(task, caller, services),
    by_models: byModels(task, caller, services),
  }))
  return { name, fullname: NAMES[name] ?? name[0]!.toUpperCase() + name.slice(1), description: null, subfeatures }
}

export async function describeTask(
  { feature, subfeature }: { feature: string; subfeature: string },
  format: 'simplified' | 'json_schema',
  caller: Caller,
  services: CallServices,
) {
  const task = findFeature(feature, subfeature)
  if (!task)
    throw problem('not_found', {
      message: `There is no task '${`${feature}/${subfeature}`.slice(0, 100)}'. See GET /v3/info.`,
    })
  const print = format === 'simplified' ? simplifiedSchema : jsonSchema
  return {
    feature,
    feature_fullname: NAMES[feature] ?? feature[0]!.toUpperCase() + feature.slice(1),
    subfeature,
    subfeature_fullname: task.fullname,
    description: task.description,
    mode: task.mode,
    endpoints: endpointsOf(task),
    input_schema: print(task.input),
    output_schema: print(task.output),
    example: task.example,
    models: await withFiles(task, listTaskModels(task, caller, services)),
    by_models: byModels(task, caller, services),
  }
}

function summaryOf({ subfeature, fullname, description, mode }: Feature) {
  return { name: subfeature, fullname, description, mode }
}

function endpointsOf({ mode }: Feature) {
  const later = { create_async: 'POST /v3/universal-ai/async', get: 'GET /v3/universal-ai/async/{job_id}' }
  return mode === 'sync'
    ? { create: 'POST /v3/universal-ai', ...later }
    : { create: later.create_async, get: later.get }
}

/** The configured providers that the caller may use, and their models with a price of their own. */
function listTaskModels(task: Feature, caller: Caller, services: CallServices) {
  const { config, catalog } = services
  const name = `${task.feature}/${task.subfeature}`
  return namesOf(task, catalog)
    .map((id) => ({ id, provider: providerNamed(id, config.providers) }))
    .filter(({ provider }) => provider?.configured || provider?.serviceCredential)
    .flatMap(({ id, provider }) => {
      const adapter = { task, id, provider: provider! }
      const models = modelNames(adapter, catalog).map((model) => ({ model, regions: regionsIn(provider!, model) }))
      const reached = models.filter(({ regions }) => isInRegion(caller.region, regions))
      const listed = reached.map(({ model, regions }) => ({
        model: [name, id, ...(model ? [model] : [])].join('/'),
        pricing: pricingOf(adapter, model, catalog),
        regions: regionsShown(regions),
      }))
      return listed.filter(({ model }) => mayBeAsked(model, caller, services))
    })
}

/** The same for an endpoint that offers the task in another format, where a model string has no task. */
export function shortModels(task: Feature, caller: Caller, services: CallServices) {
  const prefix = `${task.feature}/${task.subfeature}/`
  const data = listTaskModels(task, caller, services).map(({ model, pricing }) => {
    const id = model.slice(prefix.length)
    return { id, object: 'model' as const, owned_by: id.split('/', 1)[0]!, pricing }
  })
  return { object: 'list' as const, data }
}

/** What can do a task for the caller now: model strings without the name of the task, and providers whose chat models can. */
export function doersOf(task: Feature, caller: Caller, services: CallServices): { models: string[]; llms: string[] } {
  const name = `${task.feature}/${task.subfeature}/`
  const models = listTaskModels(task, caller, services).map(({ model }) => model.slice(name.length))
  if (!isLlmTask(task)) return { models, llms: [] }
  // A row of a local server has no models until the server runs and says which.
  const chats = listModels(caller, services, { type: 'chat', all: false, reported: [] })
  const ready = new Set(chats.map(({ owned_by }) => owned_by))
  const llms = byModels(task, caller, services)?.providers ?? []
  return { models, llms: llms.filter((id) => ready.has(id)) }
}

/** Whether neither the scopes of the key nor a policy would refuse a request for it. */
function mayBeAsked(model: string, caller: Caller, services: CallServices): boolean {
  if (caller.policy === null && caller.scopes === null) return true
  try {
    return taskTargets({ model }, caller, services).length > 0
  } catch (error) {
    return !(error instanceof Problem && REFUSALS.has(error.code))
  }
}

const REFUSALS: ReadonlySet<string> = new Set(['not_allowed', 'region_not_allowed'])

type TaskProvider = { task: Feature; id: string; provider: Provider }

/** Providers of models first, because the sandbox comes last. */
function namesOf(task: Feature, catalog: Catalog): string[] {
  const ofModels = isEmbeddingTask(task) ? embeddingRows(catalog).map(({ provider }) => provider) : []
  const others = isEmbeddingTask(task) ? [] : defaultModels(task).keys()
  return [...new Set([...ofModels, ...providersOf(task), ...others])]
}

/** Null stands for the default model. */
function modelNames({ task, id, provider }: TaskProvider, catalog: Catalog): (string | null)[] {
  const rows = isEmbeddingTask(task) ? embeddingRows(catalog).filter((row) => row.provider === id) : []
  if (rows.length === 0) return [null, ...pricedModels(`${task.feature}/${task.subfeature}`, id)]
  return [...(provider.defaultEmbeddingModel ? [null] : []), ...rows.map((row) => row.id)]
}

function embeddingRows(catalog: Catalog): Model[] {
  return catalog.list().filter(({ type }) => type === 'embedding')
}

function regionsIn(provider: Provider, model: string | null): readonly Region[] {
  return model === null ? (provider.regions ?? GLOBAL_ONLY) : regionsOfModel(provider, model, {})
}

type Listed = ReturnType<typeof listTaskModels>[number]

/** Adds the files that each adapter accepts, if the task has files; null if it accepts any. */
async function withFiles(task: Feature, models: Listed[]) {
  if (fileFieldsIn(task.input).length === 0) return models
  return await Promise.all(models.map(async (model) => ({ ...model, files: await filesOf(task, model) })))
}

async function filesOf(task: Feature, { model }: Listed) {
  const load = findAdapter(task, model.split('/')[2]!)
  const accepted = load ? await acceptedBy(task, await load()) : DRAWN_FROM
  if (!accepted) return null
  const { types, megabytes, pages } = accepted
  return { mime_types: types, max_megabytes: megabytes ?? null, max_pages: pages ?? null }
}

function pricingOf({ task, id, provider }: TaskProvider, model: string | null, catalog: Catalog) {
  const { feature, subfeature, unit } = task
  const name = `${feature}/${subfeature}`
  const embedder = isEmbeddingTask(task) && catalog.find(id, model ?? provider.defaultEmbeddingModel ?? '')
  const entry = catalog.find(id, model ?? defaultTaskModel(name, id) ?? '')
  const price = embedder ? tokenPrice(embedder) : priceOfTask({ name, unit }, { entry, provider: { id }, model })
  return (
    price && {
      price: price.price,
      price_unit_quantity: price.per,
      price_unit_type: provider.simulated ? unit : price.unit,
    }
  )
}

function tokenPrice({ price }: Model): TaskPrice | null {
  return price && { price: price.input, per: TOKENS_OF_PRICE, unit: 'token' }
}

/** The kinds of models that can do a task besides the providers with an adapter, and which providers have some here. */
function byModels(task: Feature, caller: Caller, { config, catalog }: ModelServices) {
  const found = MODEL_KINDS.find(({ does }) => does(task))
  if (!found) return null
  const { kind, list } = found
  const makers = new Set(catalog.list().flatMap(({ type, provider }) => (type === kind ? [provider] : [])))
  const ready = Object.values(config.providers).filter((one) => {
    const hasSome = makers.has(one.id) || (kind === 'chat' && one.dialect !== undefined)
    const isReached = isInRegion(caller.region, one.regions ?? GLOBAL_ONLY) && keepsDataPolicy(one, caller)
    return hasSome && one.configured && !one.simulated && isReached
  })
  const model = `${task.feature}/${task.subfeature}/<provider>/<model>`
  return { kind, model, list, providers: ready.map(({ id }) => id) }
}

const MODEL_KINDS = [
  { kind: 'chat', list: 'GET /v3/models', does: isLlmTask },
  { kind: 'embedding', list: 'GET /v3/embeddings/models', does: isEmbeddingTask },
  { kind: 'image', list: 'GET /v3/images/models', does: (task: Feature) => task === imageGeneration },
]
