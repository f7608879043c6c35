import type { LimitBody } from '../../src/contract/admin/limits.ts'
import { count, money } from './format.ts'

type Unit = LimitBody['unit']

const UNITS: Record<Unit, string> = {
  usd: '',
  requests: 'requests',
  tokens: 'tokens',
  input_tokens: 'input tokens',
  output_tokens: 'output tokens',
  concurrent: 'concurrent requests',
}

/** In the unit of the limit, without its name. */
export function limitAmount(unit: Unit, amount: number | null): string {
  return unit === 'usd' ? money(amount) : count(amount)
}

/** With the name of the unit. */
export function limitAmountText(unit: Unit, amount: number | null): string {
  const name = amount === 1 ? UNITS[unit].replace(/s$/, '') : UNITS[unit]
  return `${limitAmount(unit, amount)} ${name}`.trim()
}

/** A limit as it is at this moment, with its unit and its window. */
export function limitText({
  unit,
  effective_limit: limit,
  window,
}: Pick<LimitBody, 'unit' | 'effective_limit' | 'window'>): string {
  const amount = limitAmountText(unit, limit)
  if (unit === 'concurrent') return amount
  if (window.startsWith('idle:')) return `${amount} per session, idle ${window.slice('idle:'.length)}`
  return window === 'total' ? `${amount} in total` : `${amount} per ${window}`
}
