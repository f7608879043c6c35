import { pricedModels, taskPrice } from '../catalog/task-prices.ts'
import type { Provider } from '../config/provider-settings.ts'
import { problem } from '../contract/problems.ts'
import { acceptedBy } from '../tasks/accepted-by.ts'
import { findAdapter, providersOf } from '../tasks/adapters.ts'
import type { Feature } from '../tasks/feature.ts'
import { FEATURES, findFeature } from '../tasks/index.ts'
import { fileFieldsIn } from '../tasks/file-fields.ts'
import { jsonSchema, simplifiedSchema } from '../tasks/simplified-schema.ts'
import { GLOBAL_ONLY, isInRegion, regionsOfModel } from '../providers/model-regions.ts'
import type { Region } from '../providers/provider.ts'
import type { Caller } from '../access/caller.ts'
import { providerNamed } from '../routing/router/provider-named.ts'
import { regionsShown } from '../routing/models.ts'
import type { AppContext } from '../app/context.ts'
import { DRAWN_FROM, defaultImageModels } from './task-images.ts'

// Describes the tasks: their fields, providers and prices. Made from the same schemas that validate requests.

const NAMES: Record<string, string> = { ocr: 'OCR' }

export function listFeatures(caller: Caller, context: AppContext) {
  const names = [...new Set(FEATURES.map(({ feature }) => feature))]
  return { features: names.map((name) => describeFeature(name, caller, context)) }
}

export function describeFeature(name: string, caller: Caller, context: AppContext) {
  const tasks = FEATURES.filter(({ feature }) => feature === name)
  if (tasks.length === 0)
    throw problem('not_found', { message: `There is no feature '${name.slice(0, 100)}'. See GET /v3/info.` })
  const subfeatures = tasks.map((task) => ({ ...summaryOf(task), models: modelsOf(task, caller, context) }))
  return { name, fullname: NAMES[name] ?? name[0]!.toUpperCase() + name.slice(1), description: null, subfeatures }
}

export async function describeTask(
  { feature, subfeature }: { feature: string; subfeature: string },
  format: 'simplified' | 'json_schema',
  caller: Caller,
  context: AppContext,
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
    models: await withFiles(task, modelsOf(task, caller, context)),
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

/** The configured providers that the caller's region may use, and their models with a price of their own. */
function modelsOf(task: Feature, { region }: Caller, { config }: AppContext) {
  const name = `${task.feature}/${task.subfeature}`
  return [...providersOf(task), ...defaultImageModels(task).keys()]
    .map((id) => ({ id, provider: providerNamed(id, config.providers) }))
    .filter(({ provider }) => provider?.configured || provider?.serviceCredential)
    .flatMap(({ id, provider }) => {
      const models = [null, ...pricedModels(name, id)].map((model) => ({ model, regions: regionsIn(provider!, model) }))
      const reached = models.filter(({ regions }) => isInRegion(region, regions))
      return reached.map(({ model, regions }) => ({
        model: [name, id, ...(model ? [model] : [])].join('/'),
        pricing: pricingOf(task, { id, simulated: provider!.simulated }, model),
        regions: regionsShown(regions),
      }))
    })
}

function regionsIn(provider: Provider, model: string | null): readonly Region[] {
  return model === null ? (provider.regions ?? GLOBAL_ONLY) : regionsOfModel(provider, model, {})
}

type Model = ReturnType<typeof modelsOf>[number]

/** Adds the files that each adapter accepts, if the task has files; null if it accepts any. */
async function withFiles(task: Feature, models: Model[]) {
  if (fileFieldsIn(task.input).length === 0) return models
  return await Promise.all(models.map(async (model) => ({ ...model, files: await filesOf(task, model) })))
}

async function filesOf(task: Feature, { model }: Model) {
  const load = findAdapter(task, model.split('/')[2]!)
  const accepted = load ? await acceptedBy(task, await load()) : DRAWN_FROM
  if (!accepted) return null
  const { types, megabytes, pages } = accepted
  return { mime_types: types, max_megabytes: megabytes ?? null, max_pages: pages ?? null }
}

type Named = { id: string; simulated: boolean | undefined }

function pricingOf({ feature, subfeature, unit }: Feature, provider: Named, model: string | null) {
  const price = taskPrice(`${feature}/${subfeature}`, provider.id, model)
  return (
    price && {
      price: price.price,
      price_unit_quantity: price.per,
      price_unit_type: provider.simulated ? unit : price.unit,
    }
  )
}
