import type { LimitBody } from '../../src/contract/admin/limits.ts'
import { count, money } from './format.ts'

type Unit = LimitBody['unit']

const UNITS: Record<Unit, string> = {
  usd: '',
  requests: 'requests',
  tokens: 'tokens',
  input_tokens: 'tokens read',
  output_tokens: 'tokens written',
  concurrent: 'calls at once',
}

/** In the unit of the limit, without its name. */
export function limitAmount(unit: Unit, amount: number | null): string {
  return unit === 'usd' ? money(amount) : count(amount)
}

/** A limit with its unit and its window. */
export function limitText({ unit, limit, window }: Pick<LimitBody, 'unit' | 'limit' | 'window'>): string {
  const amount = `${limitAmount(unit, limit)} ${UNITS[unit]}`.trim()
  if (unit === 'concurrent') return amount
  if (window.startsWith('idle:')) return `${amount} a session, idle ${window.slice('idle:'.length)}`
  return window === 'total' ? `${amount} in all` : `${amount} a ${window}`
}

/** What a call may use at this moment: a temporary increase counts while it lasts. */
export function capOf({ limit, increase }: Pick<LimitBody, 'limit' | 'increase'>): number {
  return increase && Date.parse(increase.until) > Date.now() ? limit + increase.amount : limit
}
