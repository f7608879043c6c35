import type { Limit } from '../../platform/config/spend-limits/limit.ts'
import { type Finding, warning } from './finding.ts'

type Restricted = Pick<Limit, 'id' | 'models'>

/** A budget or rate limit whose pattern fits no target counts no call, which an operator would not notice otherwise. */
export function checkLimits({ spendLimits }: { spendLimits: readonly Restricted[] }): Finding[] {
  return spendLimits.flatMap(({ id, models }) => {
    const useless = (models ?? []).filter((pattern) => !canMatch(pattern))
    return useless.length > 0 ? [warning('limits', `${id}: no target has the name ${useless.join(', ')}.`, ADVICE)] : []
  })
}

const ADVICE =
  'Write the provider too, as in openai/gpt-4o. A * is allowed only at the end. Names of aliases do not match.'

/** Targets are called `provider/model`. */
function canMatch(pattern: string): boolean {
  const fixed = pattern.endsWith('*') ? pattern.slice(0, -1) : pattern
  return !fixed.includes('*') && (fixed.includes('/') || fixed !== pattern)
}
