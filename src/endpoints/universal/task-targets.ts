import { didYouMean } from '../../base/schema/nearest-name.ts'
import type { ModelServices } from '../../calls/routing/names/resolved-model.ts'
import { defaultTaskModel, priceOfTask, type TaskPrice } from '../../platform/catalog/task-prices.ts'
import type { Provider } from '../../platform/config/provider-settings.ts'
import { problem } from '../../contract/problems.ts'
import type { ValidationIssue } from '../../base/schema/validation-issue.ts'
import { findAdapter, type LoadAdapter, providersOf } from '../../translation/tasks/adapters.ts'
import type { Feature } from '../../translation/tasks/feature.ts'
import { FEATURES, findFeature } from '../../translation/tasks/index.ts'
import { isLlmTask } from '../../translation/tasks/llm/llm-tasks.ts'
import type { Region } from '../../platform/providers/provider.ts'
import { isInRegion, regionsOfModel } from '../../platform/providers/model-regions.ts'
import { type Caller, scopesAllowModel } from '../../tenants/access/caller.ts'
import type { CallServices } from '../../calls/services/call-services.ts'
import { endedModel, notConfigured, outsideRegion } from '../../calls/routing/names/refusals.ts'
import { type Judged, policyProblem, withinPolicy } from '../../calls/routing/router/policy-refusals.ts'
import { usable } from '../../calls/routing/names/usable.ts'
import { type ChatTarget, targetsOf } from '../../calls/routing/chat-targets.ts'
import { providerNamed } from '../../platform/config/provider-named.ts'
import { shortened as short } from '../../calls/routing/router/shortened.ts'
import { defaultModels } from './default-models.ts'
import { embeddingTarget, isEmbeddedBy } from './task-embeddings.ts'
import { modelsNamed, type TaskModel } from './task-model.ts'
import { drawingTarget, isDrawnBy } from './task-images.ts'

/** What does a task: a provider's adapter, a chat model that answers with the task's JSON, or a model for images or embeddings. */
export type TaskTarget = {
  id: string
  feature: Feature
  provider: Provider
  model: string | null
  doer:
    | { kind: 'adapter'; load: LoadAdapter }
    | { kind: 'llm'; chat: ChatTarget }
    | { kind: 'images'; drawer: ChatTarget }
    | { kind: 'embeddings'; embedder: ChatTarget }
  price: TaskPrice | null
  /** The region that its name demands. */
  demanded?: Region | undefined
  /** What an alias says: its own credential and circuits. */
  credential?: string | undefined
  circuit?: string | undefined
}

type RequestView = { model: string; fallbacks?: readonly string[] | null | undefined }

/** Finds the targets of the model string and its fallbacks. All are checked before any provider is called. */
export function taskTargets({ model, fallbacks }: RequestView, caller: Caller, services: CallServices): TaskTarget[] {
  const first = splitModel(model)
  const feature = findTask(first)
  if (fallbacks?.length && feature.fallbacks === false)
    throw refused(['body', 'fallbacks'], 'This task does not support fallbacks')
  const others = (fallbacks ?? []).map((text, index) => splitFallback(text, feature, index))
  return withinPolicy([first, ...others], (parts) => {
    const models = modelsNamed(parts, feature, caller, services)
    return usable(models, (one) => toTarget(feature, one, inRegion(caller, one), services))
  })
}

/** The end of a name may demand a region, in addition to that of the key. */
function inRegion(caller: Caller, { requested, region }: TaskModel): Caller {
  if (!region || region === 'global' || region === caller.region) return caller
  if (caller.region !== 'global') throw outsideRegion(`'${short(requested)}@${region}'`, caller)
  return { ...caller, region }
}

type Parts = { feature: string; subfeature: string; provider: string; model: string | null }

/** `feature/subfeature/provider[/model]`; the name of a model may contain slashes. */
function splitModel(text: string): Parts {
  const [feature = '', subfeature = '', provider = '', ...model] = text.split('/')
  return { feature, subfeature, provider, model: model.join('/') || null }
}

/** A fallback may omit feature and subfeature; if it names them, they must be those of the model. */
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
  const features = [...new Set(FEATURES.map((one) => one.feature))]
  const message = siblings.length
    ? `There is no task '${feature}/${short(subfeature)}'.${didYouMean(subfeature, siblings)} Tasks of ${feature}: ${siblings.join(', ')}.`
    : `There is no feature '${short(feature)}'.${didYouMean(feature, features)} Features: ${features.join(', ')}.`
  throw problem('model_not_found', { message, param: 'model' })
}

function toTarget(feature: Feature, named: TaskModel, caller: Caller, services: CallServices): TaskTarget {
  const { requested, model, resolved } = named
  const task = `${feature.feature}/${feature.subfeature}`
  const id = [task, requested, ...(model ? [model] : [])].join('/')
  const judged = { name: id, requested: resolved?.via?.requested }
  if (!scopesAllowModel(caller, judged))
    throw problem('not_allowed', { message: `This key may not use '${short(id)}'.`, param: 'model' })
  refuseEnded(task, requested, model, services)
  const adapter = isKnownChat(feature, requested, model, services) ? undefined : findAdapter(feature, requested)
  const isDrawn = !adapter && isDrawnBy(feature, requested, services)
  const isEmbedded = !adapter && isEmbeddedBy(feature, requested, services)
  if (!adapter && !isDrawn && !isEmbedded && !isChatTask(feature, requested, model, services))
    throw noProvider(feature, requested, services)
  const name = caller.kind === 'sandbox' ? 'sandbox' : requested
  const provider = name === requested && resolved ? resolved.provider : providerNamed(name, services.config.providers)
  if (!provider) throw noProvider(feature, requested, services)
  const load = name === requested ? adapter : findAdapter(feature, name)
  if (load) refuseOtherRegions(provider, id, name === requested ? model : null, caller)
  const doer = load
    ? { kind: 'adapter' as const, load }
    : findModelDoer({ feature, ...named, isDrawn, isEmbedded }, caller, services)
  const payer = doer.kind === 'adapter' ? provider : modelOf(doer).provider
  refuseByPolicy({ ...judged, provider: load ? ofAdapters(payer) : payer }, caller)
  if (!payer.configured && !payer.serviceCredential) throw notConfigured(payer)
  const entry = services.catalog.find(name, model ?? defaultTaskModel(task, name) ?? '')
  return {
    id,
    feature,
    provider: payer,
    model,
    doer,
    demanded: named.region ?? resolved?.demanded,
    price: priceOfTask({ name: task, unit: feature.unit }, { entry, provider: { id: name }, model }),
    credential: resolved?.via?.credential,
    circuit: resolved?.via?.address && `${id}@${resolved.via.address}`,
  }
}

/** What a provider promises for its models does not hold for its other services. */
function ofAdapters({ name, dataPolicy, services }: Provider): Judged['provider'] {
  return { name, dataPolicy: services ? undefined : dataPolicy }
}

function refuseByPolicy(judged: Judged, caller: Caller): void {
  const refusal = policyProblem(judged, caller)
  if (refusal) throw refusal
}

/** A task that a provider has ended has no adapter any more, so no setting brings it back. */
function refuseEnded(task: string, requested: string, model: string | null, services: ModelServices): void {
  const provider = providerNamed(requested, services.config.providers)
  if (!provider) return
  const { id, chatOf = id, name, endedTasks = {}, servesEnded } = provider
  if (Object.hasOwn(endedTasks, task)) throw endedModel(`${task} by ${name}`, endedTasks[task]!)
  const { ended } = (model && services.catalog.find(chatOf, model)) || {}
  if (ended && !servesEnded) throw endedModel(`The model '${short(`${requested}/${model}`)}'`, ended)
}

/** A chat model by name is meant even if its provider has an adapter for the task, which would ignore the name. */
function isKnownChat(feature: Feature, requested: string, model: string | null, services: ModelServices): boolean {
  if (!model || !isChatTask(feature, requested, model, services)) return false
  const { id, chatOf = id } = providerNamed(requested, services.config.providers)!
  return services.catalog.find(chatOf, model)?.type === 'chat'
}

function isChatTask(
  feature: Feature,
  provider: string,
  model: string | null,
  { config }: Pick<CallServices, 'config'>,
): boolean {
  const found = providerNamed(provider, config.providers)
  return Boolean(model && isLlmTask(feature) && found && !found.simulated)
}

type RequestedModel = TaskModel & { feature: Feature; isDrawn: boolean; isEmbedded: boolean }

/** Looks up a model now and not when it is called, so that its errors are reported first. */
function findModelDoer(requestedModel: RequestedModel, caller: Caller, services: CallServices): TaskTarget['doer'] {
  const { feature, requested, model, resolved, isDrawn, isEmbedded } = requestedModel
  if (isDrawn) return { kind: 'images', drawer: drawingTarget(requestedModel, caller, services) }
  if (isEmbedded) return { kind: 'embeddings', embedder: embeddingTarget(feature, requestedModel, caller, services) }
  const [chat] = targetsOf([resolved ?? `${requested}/${model}`], { caller }, services)
  return { kind: 'llm', chat: chat! }
}

/** A row without models of its own names another row's, which has the credential. */
function modelOf(doer: Exclude<TaskTarget['doer'], { kind: 'adapter' }>): ChatTarget {
  if (doer.kind === 'llm') return doer.chat
  return doer.kind === 'images' ? doer.drawer : doer.embedder
}

function noProvider(feature: Feature, provider: string, { config }: Pick<CallServices, 'config'>) {
  const task = `${feature.feature}/${feature.subfeature}`
  const chat = Object.values(config.providers).filter((one) => one.configured && one.dialect && !one.simulated)
  const llm = isLlmTask(feature) ? `, or a chat model: ${chat.map(({ id }) => `${task}/${id}/<model>`).join(', ')}` : ''
  const able = [...providersOf(feature), ...defaultModels(feature).keys()]
  const meant = Object.hasOwn(config.providers, provider) ? '' : didYouMean(provider, able)
  const message = `'${short(provider)}' does not support ${task}.${meant} Providers: ${able.join(', ')}${llm}.`
  return problem('model_not_found', { message, param: 'model' })
}

/**
 * For adapters only: chat models and image models were checked when they were looked up. An adapter may use further addresses
 * of its provider; `task-tools.ts` refuses those outside of the region.
 */
function refuseOtherRegions(provider: Provider, id: string, model: string | null, caller: Caller) {
  const regions = model === null ? provider.regions : regionsOfModel(provider, model, undefined)
  if (!isInRegion(caller.region, regions)) throw outsideRegion(`'${short(id)}'`, caller)
}

function refused(loc: ValidationIssue['loc'], msg: string) {
  return problem('validation_error', {
    message: msg,
    param: String(loc[1]),
    detail: [{ loc, msg, type: 'value_error' }],
  })
}
