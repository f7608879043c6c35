import type { LimitBody } from '../../../src/contract/admin/limits.ts'
import type { KeySummary } from '../../../src/contract/admin/keys.ts'
import { may } from '../../api/session.ts'
import { useAnswer } from '../../api/use-answer.ts'
import { count, money } from '../../parts/format.ts'
import { Failure, Loading } from '../../parts/notice.tsx'

const MOST = { limit: 1000 }

/** Every budget and rate limit that a call of this key is counted against, and where each of them comes from. */
export function KeyLimits({ of: key }: { of: KeySummary }) {
  const isOpen = may('limits.read')
  const budgets = useAnswer(isOpen ? '/admin/budgets' : undefined, MOST)
  const rates = useAnswer(isOpen ? '/admin/rate-limits' : undefined, MOST)
  const error = budgets.error ?? rates.error
  if (!isOpen) return <p class="faint">Your role does not show limits.</p>
  if (error) return <Failure error={error} onRetry={budgets.reload} />
  if (!budgets.value || !rates.value) return <Loading what="limits" />
  const applying = [...budgets.value.items, ...rates.value.items].filter((limit) => appliesTo(limit, key))
  if (applying.length === 0) return <p class="faint">None: nothing limits what this key spends.</p>
  return (
    <ul class="ranking">
      {applying.map((limit) => (
        <Limit key={limit.id} limit={limit} of={key} />
      ))}
    </ul>
  )
}

/** A key belongs to its project, to its user and to everybody. Limits of organizations and end users depend on the call. */
function appliesTo({ applies_to: who }: LimitBody, { id, project, user }: KeySummary): boolean {
  return (
    who === 'all' || [`key:${id}`, `project:${project}`, `user:${user}`].includes(who) || /^organization:/.test(who)
  )
}

function Limit({ limit: body, of: { id } }: { limit: LimitBody; of: KeySummary }) {
  const { applies_to: who, unit, limit, window, per, owned_by: owner, mode } = body
  const own = per === 'key' ? body.buckets.find(({ bucket }) => bucket === id) : undefined
  const spent = own?.spent ?? (per ? 0 : body.spent)
  const amount = (value: number) => (unit === 'usd' ? money(value) : count(value))
  return (
    <li>
      <span>
        {body.id}{' '}
        <small>
          {mode === 'shadow' && 'only counted, '}a {window}
        </small>
      </span>
      <span class="amount">
        {amount(spent)} of {amount(limit)} {unit === 'usd' ? '' : unit.replaceAll('_', ' ')}
      </span>
      <meter
        min={0}
        max={1}
        low={0.8}
        high={0.95}
        optimum={0}
        value={limit > 0 ? spent / limit : 1}
        aria-label={`Used of ${body.id}`}
      />
      <small>
        from {originOf(who)}
        {per && `, for each ${per.replace('_', ' ')}`}; set in {owner === 'file' ? 'the config file' : 'the admin API'}
      </small>
    </li>
  )
}

function originOf(who: string): string {
  const [kind, name] = who.split(':')
  if (who === 'all') return 'the whole gateway'
  return kind === 'key' ? 'this key' : `the ${kind?.replace('_', ' ')} ${name}`
}
