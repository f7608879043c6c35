import type { LimitBody } from '../../src/contract/admin/limits.ts'
import { roughly } from './format.ts'
import { limitAmount } from './limit-amounts.ts'
import { emptyAt, type Paced } from './limit-pace.ts'

/** What is done with the unit; requests and tokens are used. */
const WORDS: Partial<Record<LimitBody['unit'], string>> = { usd: 'spent', concurrent: 'running' }

type Sums = Pick<LimitBody, 'unit' | 'effective_limit' | 'spent' | 'reserved' | 'left'>

/** What is spent, held and left. The numbers are below it, so the bar says nothing to a screen reader. */
export function LimitBar({ limit }: { limit: Sums }) {
  const { unit, spent, reserved, left } = limit
  const amount = (value: number) => limitAmount(unit, value)
  return (
    <span class="limit-bar">
      <Bar limit={limit} />
      <small>
        {amount(spent)} {WORDS[unit] ?? 'used'}
        {reserved > 0 && `, ${amount(reserved)} reserved`}
        {left === null ? ', counted separately' : `, ${amount(left)} left`}
      </small>
    </span>
  )
}

/** From here on a bar has the colour of a warning, and of danger. */
const WARN = 0.8
const BAD = 0.95

function Bar({ limit }: { limit: Sums }) {
  const { effective_limit, spent, reserved, left } = limit
  if (left === null) return null
  const cap = Math.max(effective_limit, spent + reserved)
  const used = cap > 0 ? (spent + reserved) / cap : 1
  const look = used >= BAD ? 'bad' : used >= WARN ? 'warn' : ''
  return (
    <span class="bar" aria-hidden="true">
      {spent > 0 && <span class={`part spent ${look}`} style={{ flexGrow: spent }} />}
      {reserved > 0 && <span class={`part held ${look}`} style={{ flexGrow: reserved }} />}
      <span style={{ flexGrow: Math.max(0, cap - spent - reserved) }} />
    </span>
  )
}

/** When the limit is used up if the rest of the window is like its beginning. */
export function LimitPace({ limit }: { limit: Paced }) {
  const { left, resets_at: resets } = limit
  if (left !== null && left <= 0) return <span class="status bad">used up</span>
  const at = emptyAt(limit, Date.now())
  if (at === undefined) return <span class="faint">–</span>
  if (resets && at >= Date.parse(resets)) return <span>lasts until reset</span>
  return <span class={resets ? 'status warn' : ''}>used up in {roughly(at - Date.now())}</span>
}
