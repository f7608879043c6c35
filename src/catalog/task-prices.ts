import { PROVIDERS } from '../providers/providers.ts'
import table from './task-prices.json' with { type: 'json' }

/** USD for `per` units of work. */
export type TaskPrice = { unit: string; price: number; per: number }

const PRICES: Record<string, TaskPrice> = table.prices
const DEFAULTS: Record<string, string> = table.defaults
const FREE: TaskPrice = { unit: 'request', price: 0, per: 1 }

/** The price of a task at this provider (and model, or its default model); null if no source gives it. */
export function taskPrice(task: string, provider: string, model: string | null): TaskPrice | null {
  if (Object.hasOwn(PROVIDERS, provider) && PROVIDERS[provider]!.free) return FREE
  const name = `${task}/${provider}`
  return PRICES[`${name}/${model ?? DEFAULTS[name]}`] ?? PRICES[name] ?? null
}

/** The models of a provider that have a price of their own for the task, in the order of the table. */
export function pricedModels(task: string, provider: string): string[] {
  const start = `${task}/${provider}/`
  return Object.keys(PRICES).flatMap((name) => (name.startsWith(start) ? [name.slice(start.length)] : []))
}

/** The model that does the task if none is named; null if the provider has no choice of models. */
export function defaultModel(task: string, provider: string): string | null {
  return DEFAULTS[`${task}/${provider}`] ?? null
}
