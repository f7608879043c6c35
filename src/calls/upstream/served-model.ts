import { type Catalog, hasOwnPrice, type Model } from '../../platform/catalog/catalog.ts'
import type { ChatTarget } from '../routing/chat-targets.ts'

// A provider may answer with another model than the requested one: an alias stands for a dated model, a router chooses, and
// Anthropic has fallbacks of its own. The price is that of the model that answered.

/** The date at the end of the name of a model. */
const DATE = /[-@](\d{8}|\d{4}-\d{2}-\d{2}|\d{4}|\d{2}-\d{2,4})$/

/** The catalog row of the model that the answer names; undefined if its price is unknown. */
export function servedModel(target: ChatTarget, name: string | undefined, catalog: Catalog): Model | undefined {
  const { provider, model, entry } = target
  if (!name || name === model || !entry || provider.simulated) return entry
  const found = catalog.find(provider.id, name) ?? catalog.find(provider.id, name.replace(DATE, ''))
  // The operator names a model as callers do, and its provider answers with the date of the version.
  if (hasOwnPrice(entry) && !hasOwnPrice(found) && name.replace(DATE, '') === model) return entry
  return found ?? (isOtherName(name, target) ? entry : undefined)
}

/**
 * Whether an unknown name is taken for another name of the requested model. Many servers rename models as they like, and an
 * alias may stand for any model. Providers whose answers name models reliably mean another model by another name.
 */
function isOtherName(name: string, { provider, model }: ChatTarget): boolean {
  if (!provider.namesModels || /(^|[-/])latest$/.test(model)) return true
  return beginsWith(name, model) || beginsWith(model, name)
}

function beginsWith(long: string, short: string): boolean {
  return long.startsWith(short) && /^([-@:.]|$)/.test(long.slice(short.length))
}
