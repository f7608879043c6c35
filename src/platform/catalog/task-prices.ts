import { PROVIDERS } from '../providers/providers.ts'
import { hasOwnPrice, type Model, type Unit } from './catalog.ts'
import table from './task-prices.json' with { type: 'json' }

/** USD for `per` units of work. `isFlat`: for a whole task, whatever it measures. */
export type TaskPrice = { unit: string; price: number; per: number; isFlat?: boolean }

/** What so many units cost. */
export function costOfUnits({ price, per, isFlat }: TaskPrice, units: number): number {
  return ((isFlat ? 1 : units) * price) / per
}

const PRICES: Record<string, TaskPrice> = table.prices
const DEFAULTS: Record<string, string> = table.defaults
const FREE: TaskPrice = { unit: 'request', price: 0, per: 1 }

/** The price of a task at this provider (and model, or its default model); null if no source gives it. */
export function taskPrice(task: string, provider: string, model: string | null): TaskPrice | null {
  if (Object.hasOwn(PROVIDERS, provider) && PROVIDERS[provider]!.free) return FREE
  const name = `${task}/${provider}`
  return PRICES[`${name}/${model ?? DEFAULTS[name]}`] ?? PRICES[name] ?? null
}

/** A model, and where it is. */
type PaidModel = { entry?: Model | undefined; provider: { id: string }; model: string | null }
type PaidUnit = Extract<Unit, 'character' | 'second' | 'search'>

/** USD for a unit of a model's work: what the operator says, or else the list, or else its row. Undefined if none of them has a price. */
export function unitPrice({ entry, provider, model }: PaidModel, unit: PaidUnit, task?: string): number | undefined {
  const own = entry?.per?.[unit]
  const listed = task && !hasOwnPrice(entry) ? taskPrice(task, provider.id, model) : null
  return listed && (listed.unit === unit || listed.price === 0) ? listed.price / listed.per : own
}

/** The price of a task: what the operator says about its model, or else that of the list. Null if neither has a price. */
export function priceOfTask(
  task: { name: string; unit: string },
  { entry, provider, model }: PaidModel,
): TaskPrice | null {
  if (!hasOwnPrice(entry)) return taskPrice(task.name, provider.id, model)
  const per: Readonly<Record<string, number>> = entry.per ?? {}
  const each = task.unit === 'image' ? entry.perImage?.[0]?.usd : per[task.unit]
  if (each !== undefined) return { unit: task.unit, price: each, per: 1 }
  return per.request === undefined ? null : { unit: 'request', price: per.request, per: 1, isFlat: true }
}

/** The model that does a task if none is named; undefined if the list does not say it. */
export function defaultTaskModel(task: string, provider: string): string | undefined {
  return DEFAULTS[`${task}/${provider}`]
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
