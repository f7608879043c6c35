import type { UsageReport } from '../../../src/contract/admin/usage.ts'
import { DAY_MS } from '../../../src/base/units/units.ts'
import type { Answer } from '../../api/use-answer.ts'
import { may } from '../../api/session.ts'
import { count, duration, money, share } from '../../parts/format.ts'
import { Failure, Loading } from '../../parts/notice.tsx'

type Props = { answer: Answer<UsageReport>; more?: Readonly<Record<string, string>> }

export function dayAgo(): string {
  return new Date(Date.now() - DAY_MS).toISOString()
}

/** The calls of the last 24 hours that the person may see, from the ledger. */
export function LastDay({ answer: { value, error, reload }, more = {} }: Props) {
  if (!may('usage.read')) return null
  return (
    <section class="panel">
      <h2>Last 24 hours</h2>
      <Failure error={error} onRetry={reload} />
      {!value && !error && <Loading what="calls" />}
      {value?.total.requests === 0 && <p class="faint">No calls.</p>}
      {value && value.total.requests > 0 && <Figures of={{ ...figuresOf(value.total), ...more }} />}
    </section>
  )
}

function figuresOf({ requests, failed_requests: failed, cost, latency_ms: latency }: UsageReport['total']) {
  return {
    Requests: count(requests),
    Failed: share(failed / requests),
    'Median latency': duration(latency.p50),
    'p95 latency': duration(latency.p95),
    Spend: money(cost),
  }
}

function Figures({ of: figures }: { of: Readonly<Record<string, string>> }) {
  return (
    <dl class="figures">
      {Object.entries(figures).map(([title, value]) => (
        <div key={title}>
          <dt>{title}</dt>
          <dd>{value}</dd>
        </div>
      ))}
    </dl>
  )
}
