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

/** A limit as it is at this moment, with its unit and its window. */
export function limitText({
  unit,
  effective_limit: limit,
  window,
}: Pick<LimitBody, 'unit' | 'effective_limit' | 'window'>): string {
  const amount = `${limitAmount(unit, limit)} ${UNITS[unit]}`.trim()
  if (unit === 'concurrent') return amount
  if (window.startsWith('idle:')) return `${amount} per session, idle ${window.slice('idle:'.length)}`
  return window === 'total' ? `${amount} in total` : `${amount} per ${window}`
}
