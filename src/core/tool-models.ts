import { type Fields, isRecord, textOf } from '../dialects/record.ts'
import { MODELS_OF_TOOLS } from '../providers/governed-fields.ts'
import type { Caller } from './caller.ts'
import { placeAt, refuseForbidden } from './find-model.ts'
import type { NativeCall } from './native-face.ts'
import type { ChatTarget, RouteOutside } from './route.ts'

// Some tools run at the provider, with a model that they name: it has to be one that the key may use there.

/** Refuses models that the key may not use. True where some tool runs with another model, whose price is not in the bill. */
export function checkToolModels(
  { request, native }: NativeCall,
  targets: readonly ChatTarget[],
  caller: Caller,
  { catalog }: Pick<RouteOutside, 'catalog'>,
): boolean {
  const tools = [native ? native.body.tools : request.tools, request.extra_body?.tools]
  const places = targets
    .filter(({ provider }) => provider.id !== 'sandbox')
    .flatMap(({ provider }) => modelsOf(tools, provider.id).map((model) => placeAt(provider, model, catalog)))
  for (const place of places) refuseForbidden(place, caller)
  return places.length > 0
}

/** A loop: there may be as many tools as a body may have values, and nearly all name no model. */
function modelsOf(lists: readonly unknown[], provider: string): string[] {
  const models: string[] = []
  for (const tools of lists) {
    if (!Array.isArray(tools)) continue
    for (const tool of tools) if (isRecord(tool)) addModels(tool, provider, models)
  }
  return models
}

/** Whatever the tool calls itself: a provider that does not mind case may read another type than we do. */
function addModels(tool: Fields, provider: string, models: string[]): void {
  const before = models.length
  addNames(tool, models)
  if (isRecord(tool.parameters)) addNames(tool.parameters, models)
  const usual = models.length === before && MODELS_OF_TOOLS[provider]?.[textOf(tool.type)]
  if (usual) models.push(usual)
}

/** `model`, `models`, `analysis_models`. */
function addNames(fields: Fields, models: string[]): void {
  for (const name in fields)
    if (OF_MODELS.test(name))
      models.push(...[fields[name]].flat().filter((one): one is string => typeof one === 'string'))
}

const OF_MODELS = /(^|_)model[sſ]?$/i
