import { type Fields, isRecord, recordsIn } from '../dialects/record.ts'
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

/** A function is the caller's own, and runs with nobody's model. */
function modelsIn(tool: Fields, provider: string): string[] {
  const { type } = tool
  if (typeof type !== 'string' || type === 'function' || type === 'custom') return NONE
  const named = [tool, tool.parameters].flatMap((fields) => (isRecord(fields) ? namesIn(fields) : []))
  const usual = MODELS_OF_TOOLS[provider]?.[type]
  return named.length === 0 && usual ? [usual] : named
}

/** `model`, `models`, `analysis_models`. */
function namesIn(fields: Fields): string[] {
  return Object.entries(fields).flatMap(([name, value]) => {
    if (!/(^|_)models?$/i.test(name)) return []
    return [value].flat().filter((one): one is string => typeof one === 'string')
  })
}
