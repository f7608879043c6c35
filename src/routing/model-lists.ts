import type { Caller } from '../access/caller.ts'
import type { AliasTable } from '../config/aliases/alias-table.ts'
import { groupModels, listModels, type ModelQuery } from './models.ts'
import type { AppContext } from '../app/context.ts'

/** 1,500 models are a megabyte of text, so the text is written once for all keys that see the same list. */
const MAX_LISTS = 100

/** By the aliases, and by the catalog, or by the models that local servers reported, if there are any. */
const texts = new WeakMap<AliasTable, WeakMap<object, Map<string, string>>>()

export type ListView = 'endpoints' | 'models'

/** The list as JSON text. What a key sees depends only on its kind, region and scopes. */
export function modelListText(caller: Caller, view: ListView, query: ModelQuery, context: AppContext): string {
  const source = query.reported.length > 0 ? query.reported : context.catalog
  const known = texts.get(context.aliases) ?? new WeakMap<object, Map<string, string>>()
  const lists = known.get(source) ?? new Map<string, string>()
  const name = JSON.stringify([caller.kind, caller.region, caller.scopes, view, query.type, query.all])
  const written = lists.get(name)
  if (written) return written
  const models = listModels(caller, context, query)
  const text = JSON.stringify({ object: 'list', data: view === 'models' ? groupModels(models, context) : models })
  if (lists.size >= MAX_LISTS) lists.clear()
  texts.set(context.aliases, known.set(source, lists.set(name, text)))
  return text
}
