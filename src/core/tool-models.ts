import { type Fields, isRecord, recordsIn, textOf } from '../dialects/record.ts'
import { MODELS_OF_TOOLS } from '../providers/governed-fields.ts'
import type { Caller } from './caller.ts'
import { refuseForbidden } from './find-model.ts'
import type { NativeCall } from './native-face.ts'
import type { ChatTarget, RouteOutside } from './route.ts'

// Some tools run at the provider, with a model that they name: it has to be one that the key may use there.

export function refuseToolModels(
  given: NativeCall,
  targets: readonly ChatTarget[],
  caller: Caller,
  { catalog }: Pick<RouteOutside, 'catalog'>,
): void {
  for (const { provider } of targets) {
    if (provider.id === 'sandbox') continue
    for (const model of toolModels(given, provider.id))
      refuseForbidden(
        { id: `${provider.id}/${model}`, provider, model, entry: catalog.find(provider.id, model) },
        caller,
      )
  }
}

/** The models that tools of this call would be run with, as this provider calls them. */
export function toolModels({ request, native }: NativeCall, provider: string): string[] {
  const tools = native ? native.body.tools : request.tools
  const more = request.extra_body?.tools
  if (!tools && !more) return NONE
  return [...recordsIn(tools), ...recordsIn(more)].flatMap((tool) => modelsIn(tool, provider))
}

const NONE: string[] = []

/** Whatever the tool calls itself: a provider that does not mind case may read another type than we do. */
function modelsIn(tool: Fields, provider: string): string[] {
  const named = [...namesIn(tool), ...(isRecord(tool.parameters) ? namesIn(tool.parameters) : NONE)]
  const usual = named.length === 0 && MODELS_OF_TOOLS[provider]?.[textOf(tool.type)]
  return usual ? [usual] : named
}

/** `model`, `models`, `analysis_models`. */
function namesIn(fields: Fields): string[] {
  const names = Object.keys(fields).filter((name) => OF_MODELS.test(name))
  return names.flatMap((name) => [fields[name]].flat().filter((one): one is string => typeof one === 'string'))
}

const OF_MODELS = /(^|_)model[sſ]?$/i
