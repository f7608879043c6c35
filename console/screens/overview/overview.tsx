import type { ApplyingLimits } from '../../../src/contract/admin/limits.ts'
import type { UsageReport } from '../../../src/contract/admin/usage.ts'
import type { Overview as Needs } from '../../../src/contract/admin/overview.ts'
import { may, mayEverywhere } from '../../api/session.ts'
import { type Answer, useAnswer } from '../../api/use-answer.ts'
import { callAll } from '../../parts/call-all.ts'
import { FirstCall } from '../../parts/first-call.tsx'
import { METRICS } from '../../parts/chart/metrics.ts'
import { Empty, Failure, Loading } from '../../parts/notice.tsx'
import { ScreenHead } from '../../parts/screen-head.tsx'
import { TimeRange } from '../../parts/time-range.tsx'
import { UsageChart } from '../../parts/chart/usage-chart.tsx'
import { type UsageSpan, useUsageSpan } from '../../parts/chart/usage-span.ts'
import { useQuery } from '../../parts/use-query.ts'
import { Budgets } from './budgets.tsx'
import { FirstSteps } from './first-steps.tsx'
import { splitReport } from './periods.ts'
import { NeedsAttention } from './needs-attention.tsx'
import { Targets } from './targets.tsx'
import { Tiles } from './tiles.tsx'
import { TopModels } from './top-models.tsx'

/** What a team lead wants to know first. Both periods are one request, so that the page makes five in all. */
export default function Overview() {
  const { query } = useQuery()
  const span = useUsageSpan(query, '24h')
  const { to, bucket } = span
  const both = useAnswer('/admin/usage', { from: span.beforeFrom, to, group_by: bucket })
  const models = useAnswer('/admin/usage', { from: span.from, to, group_by: 'model' })
  const needs = useAnswer('/admin/overview', { from: span.from, to })
  return (
    <>
      <ScreenHead title="Overview">
        <TimeRange usual="24h" />
      </ScreenHead>
      <Failure error={both.error ?? models.error ?? needs.error} onRetry={both.reload} />
      {needs.value && <FirstSteps steps={needs.value.steps} onChanged={needs.reload} />}
      {both.value && models.value ? (
        <Numbers both={both.value} models={models.value} span={span} />
      ) : (
        !both.error && <Loading what="the overview" />
      )}
      {needs.value && <State needs={needs.value} />}
    </>
  )
}

type NumbersProps = { both: UsageReport; models: UsageReport; span: UsageSpan }

function Numbers({ both, models, span }: NumbersProps) {
  const periods = splitReport(both, span)
  // Calls that cost nothing would be an empty chart.
  const metric = models.total.cost > 0 ? METRICS.cost : METRICS.requests
  if (models.total.requests === 0)
    return (
      <Empty title="No requests in this time">
        <p>Choose a longer time, or send a request. The sandbox needs no provider and costs nothing:</p>
        <FirstCall />
      </Empty>
    )
  return (
    <>
      <Tiles {...{ total: models.total, before: periods.before, now: periods.now, span }} />
      <div class="columns">
        <UsageChart items={periods.now} total={models.total} metric={metric} span={span} />
        <TopModels report={models} />
      </div>
    </>
  )
}

/** What may need attention: budgets that end soon, what has failed. */
function State({ needs }: { needs: Needs }) {
  const budgets = useBudgets()
  return (
    <div class="columns">
      <Budgets answer={budgets} />
      <div class="stack">
        <NeedsAttention needs={needs} />
        {needs.circuits && <Targets circuits={needs.circuits} />}
      </div>
    </div>
  )
}

/** Those that the person may see, and those that apply to the person, which the list may not have. */
function useBudgets(): Answer<ApplyingLimits> {
  const seen = useAnswer(may('limits.read') ? '/admin/budgets' : undefined, { limit: 1000 })
  const own = useAnswer(mayEverywhere('limits.read') ? undefined : '/admin/me/limits')
  const isKnown = (seen.value || !may('limits.read')) && (own.value || mayEverywhere('limits.read'))
  const byId = new Map([...(own.value?.items ?? []), ...(seen.value?.items ?? [])].map((limit) => [limit.id, limit]))
  return {
    value: isKnown ? { items: [...byId.values()] } : undefined,
    error: seen.error ?? own.error,
    isLoading: seen.isLoading || own.isLoading,
    reload: callAll(seen.reload, own.reload),
  }
}
