import type { ApplyingLimits, LimitBody } from '../../../src/contract/admin/limits.ts'
import type { Answer } from '../../api/use-answer.ts'
import { mayEverywhere } from '../../api/session.ts'
import { minuteMoment, money } from '../../parts/format.ts'
import { LimitName } from '../../parts/applying-limits.tsx'
import { Failure, Loading } from '../../parts/notice.tsx'
import { splitHolder } from '../../parts/holder-name.ts'

const SHOWN = 5

/** Those nearest to their end first. */
export function Budgets({ answer: { value, error, reload } }: { answer: Answer<ApplyingLimits> }) {
  const budgets = value?.items.filter(({ unit }) => unit === 'usd')
  const nearest = budgets?.toSorted((one, other) => usedOf(other) - usedOf(one)).slice(0, SHOWN)
  return (
    <section class="panel">
      <h2>Budgets</h2>
      <Failure error={error} onRetry={reload} />
      {!value && !error && <Loading what="budgets" />}
      {nearest?.length === 0 && (
        <p class="faint">
          None. {mayEverywhere('limits.read') ? 'Spending is not limited.' : 'Your spending is not limited.'}
        </p>
      )}
      <ul class="ranking">
        {nearest?.map((budget) => (
          <Budget key={budget.id} budget={budget} />
        ))}
      </ul>
    </section>
  )
}

function usedOf({ spent, reserved, effective_limit: limit }: LimitBody): number {
  return limit > 0 ? (spent + reserved) / limit : 1
}

function Budget({ budget }: { budget: LimitBody }) {
  const { id, name, applies_to: who, spent, effective_limit, window, resets_at: resets } = budget
  const used = Math.min(usedOf(budget), 1)
  return (
    <li>
      <span>
        <LimitName limit={budget} /> <small>{whomText(who)}</small>
      </span>
      <span class="amount">
        {money(spent)} of {money(effective_limit)}
      </span>
      <meter min={0} max={1} low={0.8} high={0.95} optimum={0} value={used} aria-label={`Used of ${name ?? id}`} />
      <small>{resets ? `per ${window} · resets ${minuteMoment(resets)}` : 'total, never resets'}</small>
    </li>
  )
}

/** Names of keys and people would take more requests: the link of the budget leads to them. */
function whomText(appliesTo: string): string {
  if (appliesTo === 'all') return 'everyone'
  const { kind, id } = splitHolder(appliesTo)
  return kind === 'project' || kind === 'organization' ? `${kind} ${id}` : `one ${kind.replace('_', ' ')}`
}
