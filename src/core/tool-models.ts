import { type Fields, isRecord, recordsIn, textOf } from '../dialects/record.ts'
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
  const tools = [native ? native.body.tools : request.tools, request.extra_body?.tools].flatMap(recordsIn)
  if (tools.length === 0) return false
  const asked = targets.filter(({ provider }) => provider.id !== 'sandbox')
  const places = asked.flatMap(({ provider }) => {
    return tools.flatMap((tool) => modelsIn(tool, provider.id)).map((model) => placeAt(provider, model, catalog))
  })
  for (const place of places) refuseForbidden(place, caller)
  return places.length > 0
}

/** Whatever the tool calls itself: a provider that does not mind case may read another type than we do. */
function modelsIn(tool: Fields, provider: string): string[] {
  const named = isRecord(tool.parameters) ? [...namesIn(tool), ...namesIn(tool.parameters)] : namesIn(tool)
  const usual = named.length === 0 && MODELS_OF_TOOLS[provider]?.[textOf(tool.type)]
  return usual ? [usual] : named
}

/** `model`, `models`, `analysis_models`. */
function namesIn(fields: Fields): string[] {
  const names = Object.keys(fields).filter((name) => OF_MODELS.test(name))
  return names.flatMap((name) => [fields[name]].flat().filter((one): one is string => typeof one === 'string'))
}

const OF_MODELS = /(^|_)model[sſ]?$/i
