import type { Names } from './names/alias-models.ts'
import { type Caller, sightOf } from '../../tenants/access/caller.ts'
import type { AliasTable } from '../../platform/config/aliases/alias-table.ts'
import { groupModels, listModels, type ModelQuery } from './models.ts'
import type { CallServices } from '../services/call-services.ts'
import type { ModelObject } from '../../contract/models.ts'

/** 1,500 models are a megabyte of text, so the text is written once for all keys that see the same list. */
const MAX_LISTS = 100

/** By the aliases, and by the catalog, or by the models that local servers reported, if there are any. */
const texts = new WeakMap<AliasTable, WeakMap<object, Map<string, string>>>()

/** `messages`: for clients of the messages format alone, whose capabilities are others than ours. */
export type ListView = 'endpoints' | 'models' | 'all names' | 'messages' | 'mistral'

/** The list as JSON text. What a key sees depends only on its kind, region, scopes and policy. */
export function modelListText(caller: Caller, view: ListView, query: ModelQuery, services: Names): string {
  const source = query.reported.length > 0 ? query.reported : services.catalog
  const bySource = texts.get(services.aliases) ?? new WeakMap<object, Map<string, string>>()
  const lists = bySource.get(source) ?? new Map<string, string>()
  const name = JSON.stringify([...sightOf(caller), view, query.type, query.all])
  const written = lists.get(name)
  if (written) return written
  const models = listModels(caller, services, query)
  const text = JSON.stringify(shown(models, view, services))
  if (lists.size >= MAX_LISTS) lists.clear()
  texts.set(services.aliases, bySource.set(source, lists.set(name, text)))
  return text
}

function shown(models: ModelObject[], view: ListView, services: Pick<CallServices, 'catalog'>): object {
  if (view === 'all names') return withAllNames(models, false)
  if (view === 'mistral') return withAllNames(models, false, 'base')
  if (view === 'messages') return withAllNames(models.map(forMessages), false)
  return { object: 'list', data: view === 'models' ? groupModels(models, services) : models }
}

type ListedModel = Omit<ModelObject, 'retires_at'> & { retires_at?: string | null }

/** What clients of Anthropic read where our own members have the same name: moments, and no capabilities but theirs. */
export function forMessages(model: ModelObject): ListedModel {
  const { retires_at } = model
  return { ...model, capabilities: null, retires_at: retires_at ? `${retires_at}T00:00:00Z` : null }
}

/** Models with the members that clients of the messages format expect, too. Clients of Mistral know models by the type `base`. */
export function withAllNames(models: readonly ListedModel[], hasMore: boolean, type: 'model' | 'base' = 'model') {
  const data = models.map((model) => ({
    ...model,
    type,
    display_name: model.name ?? model.id,
    created_at: new Date(model.created * 1000).toISOString(),
    max_input_tokens: model.context_length ?? null,
    max_tokens: model.max_output_tokens ?? null,
    lifecycle: model.retires_at ? ('deprecated' as const) : ('active' as const),
    deprecated_at: null,
    line: null,
  }))
  const [first_id, last_id] = [data[0]?.id ?? null, data.at(-1)?.id ?? null]
  return { object: 'list' as const, data, has_more: hasMore, first_id, last_id }
}
