import { type Fields, isRecord } from '../../../base/schema/record.ts'
import type { Notes } from '../../../translation/dialects/notes.ts'

/** As the contract of a chat has it. */
export const MAX_FALLBACKS = 3

/** LiteLLM's name for all models that have no list of their own. */
const ALL_MODELS = '*'

/**
 * The names in fallbacks that are not a list of texts: objects of LiteLLM and Anthropic with a `model` and other fields, LiteLLM's
 * lists by the name of the model that fails, or Anthropic's word `default`. Undefined if they are something else, which the
 * contract refuses.
 */
export function fallbacksIn(fallbacks: unknown, model: string | undefined, notes: Notes): string[] | undefined {
  if (fallbacks === 'default') {
    notes.dropped('fallbacks', 'only models that the request or an alias names are tried')
    return []
  }
  const items: unknown[] = Array.isArray(fallbacks) ? fallbacks : [fallbacks]
  const found = items.map((item) => namesIn(item, model, notes))
  if (found.some((names) => names === undefined)) return undefined
  const own = found.flatMap((names) => names!.own)
  return own.length > 0 ? own : found.flatMap((names) => names!.ofAll)
}

/** `own`: names for this model. `ofAll`: names for every model without names of its own. */
type Named = { own: string[]; ofAll: string[] }

function namesIn(item: unknown, model: string | undefined, notes: Notes): Named | undefined {
  const name = nameOf(item, notes)
  if (name !== undefined) return { own: [name], ofAll: [] }
  if (!isRecord(item) || Object.keys(item).length === 0) return undefined
  const named: Named = { own: [], ofAll: [] }
  for (const [failing, value] of Object.entries(item)) {
    const names = (Array.isArray(value) ? value : [value]).map((one) => nameOf(one, notes))
    if (!names.every((one) => one !== undefined)) return undefined
    if (isSame(failing, model)) named.own.push(...names)
    else if (failing === ALL_MODELS) named.ofAll.push(...names)
    else notes.dropped('fallbacks', 'those for other models than the one of the request are not tried')
  }
  return named
}

/** Its clients leave out the provider in one place or the other. */
function isSame(failing: string, model: string | undefined): boolean {
  return failing === model || model?.endsWith(`/${failing}`) === true || failing.endsWith(`/${model}`)
}

function nameOf(item: unknown, notes: Notes): string | undefined {
  if (typeof item === 'string') return item
  if (!isRecord(item) || typeof item.model !== 'string') return undefined
  noteOthers(item, notes)
  return item.model
}

function noteOthers(fallback: Fields, notes: Notes): void {
  for (const name in fallback)
    if (name !== 'model') notes.dropped(`fallbacks.${name}`, 'a fallback gets the fields of the request')
}

/** OpenRouter's list of models, which may have at most a few. */
export function modelsIn(models: unknown): string[] | undefined {
  if (!Array.isArray(models) || models.length === 0) return undefined
  return models.every((name) => typeof name === 'string' && name !== '') ? models : undefined
}
