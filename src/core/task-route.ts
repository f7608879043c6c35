import { type TaskPrice, taskPrice } from '../catalog/task-prices.ts'
import type { Provider } from '../config/provider-settings.ts'
import { type Fault, problem } from '../contract/problems.ts'
import { findAdapter, type LoadAdapter, providersOf } from '../features/adapters.ts'
import type { Feature } from '../features/feature.ts'
import { FEATURES, findFeature } from '../features/index.ts'
import { isLlmTask } from '../features/llm/llm-tasks.ts'
import { isInRegion, regionsOfModel } from '../providers/model-regions.ts'
import { type Caller, mayUseModel } from './caller.ts'
import type { Outside } from './outside.ts'
import { notConfigured, outsideRegion } from './find-model.ts'
import { type ChatTarget, targetsOf } from './route.ts'
import { providerNamed } from './routing/provider-named.ts'
import { shortened as short } from './routing/shortened.ts'
import { drawingTarget, isDrawnBy, usualDrawers } from './task-images.ts'

/** Who does a task: a provider's adapter, a chat model that is asked for the task's JSON, or a model that draws. */
export type TaskTarget = {
  id: string
  feature: Feature
  provider: Provider
  model: string | null
  doer:
    | { kind: 'adapter'; load: LoadAdapter }
    | { kind: 'llm'; chat: ChatTarget }
    | { kind: 'images'; drawer: ChatTarget }
  price: TaskPrice | null
}

type Asked = { model: string; fallbacks?: readonly string[] | null | undefined }

/** The model string and its fallbacks, all checked before anyone is called. */
export function routeTask({ model, fallbacks }: Asked, caller: Caller, outside: Outside): TaskTarget[] {
  const first = splitModel(model)
  const feature = findTask(first)
  if (fallbacks?.length && feature.fallbacks === false)
    throw refused(['body', 'fallbacks'], 'This task takes no fallbacks')
  const others = (fallbacks ?? []).map((text, index) => splitFallback(text, feature, index))
  return [first, ...others].map(({ provider, model }) => toTarget(feature, provider, model, caller, outside))
}

type Parts = { feature: string; subfeature: string; provider: string; model: string | null }

/** `feature/subfeature/provider[/model]`; a model may hold slashes of its own. */
function splitModel(text: string): Parts {
  const [feature = '', subfeature = '', provider = '', ...model] = text.split('/')
  return { feature, subfeature, provider, model: model.join('/') || null }
}

/** A fallback may leave feature and subfeature out; one that names them must name the same. */
function splitFallback(text: string, { feature, subfeature }: Feature, index: number): Parts {
  const whole = splitModel(text)
  if (!findFeature(whole.feature, whole.subfeature)) return splitModel(`${feature}/${subfeature}/${text}`)
  if (whole.feature === feature && whole.subfeature === subfeature) return whole
  throw refused(['body', 'fallbacks', index], 'A fallback has to do the same task')
}

function findTask({ feature, subfeature }: Parts): Feature {
  const found = findFeature(feature, subfeature)
  if (found) return found
  const siblings = FEATURES.filter((one) => one.feature === feature).map((one) => one.subfeature)
  const message = siblings.length
    ? `There is no task '${feature}/${short(subfeature)}'. Tasks of ${feature}: ${siblings.join(', ')}.`
    : `There is no feature '${short(feature)}'. Features: ${[...new Set(FEATURES.map((one) => one.feature))].join(', ')}.`
  throw problem('model_not_found', { message, param: 'model' })
}

function toTarget(feature: Feature, asked: string, model: string | null, caller: Caller, outside: Outside): TaskTarget {
  const task = `${feature.feature}/${feature.subfeature}`
  const id = [task, asked, ...(model ? [model] : [])].join('/')
  if (!mayUseModel(caller, id))
    throw problem('not_allowed', { message: `This key may not use '${short(id)}'.`, param: 'model' })
  const adapter = findAdapter(feature, asked)
  const isDrawn = !adapter && isDrawnBy(feature, asked, outside)
  if (!adapter && !isDrawn && !isAskedOfChat(feature, asked, model, outside)) throw noProvider(feature, asked, outside)
  const name = caller.kind === 'sandbox' ? 'sandbox' : asked
  const provider = providerNamed(name, outside.config.providers)
  if (!provider) throw noProvider(feature, asked, outside)
  const load = name === asked ? adapter : findAdapter(feature, name)
  if (load) refuseOtherRegions(provider, id, name === asked ? model : null, caller)
  const doer: TaskTarget['doer'] =
    isDrawn && !load
      ? { kind: 'images', drawer: drawingTarget(asked, model, caller, outside) }
      : findDoer(load, `${asked}/${model}`, caller, outside)
  if (!provider.configured && !provider.serviceCredential) throw notConfigured(provider)
  return {
    id,
    feature,
    provider,
    model,
    doer,
    price: taskPrice(task, name, model),
  }
}

function isAskedOfChat(feature: Feature, provider: string, model: string | null, { config }: Outside): boolean {
  return Boolean(model && isLlmTask(feature) && providerNamed(provider, config.providers) && provider !== 'sandbox')
}

/** A chat model is looked up here and not when it is asked, so that what is wrong with it is told before. */
function findDoer(
  load: LoadAdapter | undefined,
  chatModel: string,
  caller: Caller,
  outside: Outside,
): TaskTarget['doer'] {
  if (load) return { kind: 'adapter', load }
  const [chat] = targetsOf([chatModel], caller, outside)
  return { kind: 'llm', chat: chat! }
}

function noProvider(feature: Feature, provider: string, { config }: Outside) {
  const task = `${feature.feature}/${feature.subfeature}`
  const chat = Object.values(config.providers).filter((one) => one.configured && one.dialect && one.id !== 'sandbox')
  const llm = isLlmTask(feature) ? `, or a chat model: ${chat.map(({ id }) => `${task}/${id}/<model>`).join(', ')}` : ''
  const message = `'${short(provider)}' does not do ${task}. Providers: ${[...providersOf(feature), ...usualDrawers(feature).keys()].join(', ')}${llm}.`
  return problem('model_not_found', { message, param: 'model' })
}

/**
 * For adapters; a model that is asked or draws has been checked when it was looked up. An adapter may use further addresses
 * of its provider: `task-tools.ts` refuses those that are outside the region.
 */
function refuseOtherRegions(provider: Provider, id: string, model: string | null, caller: Caller) {
  const regions = model === null ? provider.regions : regionsOfModel(provider, model, undefined)
  if (!isInRegion(caller.region, regions)) throw outsideRegion(`'${short(id)}'`, caller)
}

function refused(loc: Fault['loc'], msg: string) {
  return problem('validation_error', {
    message: msg,
    param: String(loc[1]),
    detail: [{ loc, msg, type: 'value_error' }],
  })
}
