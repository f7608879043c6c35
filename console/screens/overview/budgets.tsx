import type { ApplyingLimits, LimitBody } from '../../../src/contract/admin/limits.ts'
import type { Answer } from '../../api/use-answer.ts'
import { mayEverywhere } from '../../api/session.ts'
import { minuteMoment, money } from '../../parts/format.ts'
import { LimitName } from '../../parts/applying-limits.tsx'
import { Failure, Loading } from '../../parts/notice.tsx'
import { useHolderNames } from '../../parts/use-names.ts'

const SHOWN = 5

/** Those nearest to their end first. */
export function Budgets({ answer: { value, error, reload } }: { answer: Answer<ApplyingLimits> }) {
  const holderName = useHolderNames()
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
          <Budget key={budget.id} budget={budget} whom={holderName(budget.applies_to)} />
        ))}
      </ul>
    </section>
  )
}

function usedOf({ spent, reserved, limit }: LimitBody): number {
  return limit > 0 ? (spent + reserved) / limit : 1
}

function Budget({ budget, whom }: { budget: LimitBody; whom: string }) {
  const { id, name, spent, limit, window, resets_at: resets } = budget
  const used = Math.min(usedOf(budget), 1)
  return (
    <li>
      <span>
        <LimitName limit={budget} /> <small>{whom}</small>
      </span>
      <span class="amount">
        {money(spent)} of {money(limit)}
      </span>
      <meter min={0} max={1} low={0.8} high={0.95} optimum={0} value={used} aria-label={`Used of ${name ?? id}`} />
      <small>{resets ? `per ${window} · resets ${minuteMoment(resets)}` : 'total, never resets'}</small>
    </li>
  )
}
