import { useAnswer } from '../../api/use-answer.ts'
import { Downloads } from '../../parts/downloads.tsx'
import { FilterBar } from '../../parts/filters/filter-bar.tsx'
import { FirstCall } from '../../parts/first-call.tsx'
import { LINE_FILTER_FIELDS } from '../../parts/filters/line-filter-fields.ts'
import { metricNamed } from '../../parts/chart/metrics.ts'
import { Empty, Failure, Loading } from '../../parts/notice.tsx'
import { ScreenHead } from '../../parts/screen-head.tsx'
import { StackedChart } from '../../parts/chart/stacked-chart.tsx'
import { TimeRange } from '../../parts/time-range.tsx'
import { UsageChart } from '../../parts/chart/usage-chart.tsx'
import { useUsageSpan } from '../../parts/chart/usage-span.ts'
import { pick, useQuery } from '../../parts/use-query.ts'
import { Choices, groupNamed } from './choices.tsx'
import { GroupTable } from './group-table.tsx'

const PATH = '/admin/usage'
const NAMES = LINE_FILTER_FIELDS.map(({ name }) => name)

/** One chart over time, made of the groups of the table below it, which sums up to the same number. */
export default function Usage() {
  const { query } = useQuery()
  const span = useUsageSpan(query, '30d')
  const [metric, group] = [metricNamed(query.metric), groupNamed(query)]
  const filter = { ...pick(query, NAMES), from: span.from, to: span.to }
  const before = { ...filter, from: span.beforeFrom, to: span.from }
  const { summed } = metric
  const overTime = useAnswer(summed ? undefined : PATH, { ...filter, group_by: span.bucket })
  const asked = { ...filter, group_by: group, over: span.bucket, metric: summed }
  const stacked = useAnswer(summed ? `${PATH}/series` : undefined, asked)
  const byGroup = useAnswer(PATH, { ...filter, group_by: group })
  const earlier = useAnswer(PATH, { ...before, group_by: group })
  return (
    <>
      <ScreenHead title="Usage">
        <Downloads path={PATH} query={{ ...filter, group_by: group }} formats={['csv']} />
      </ScreenHead>
      <FilterBar fields={LINE_FILTER_FIELDS}>
        <Choices />
        <TimeRange usual="30d" />
      </FilterBar>
      <Failure error={overTime.error ?? stacked.error ?? byGroup.error ?? earlier.error} onRetry={byGroup.reload} />
      {!byGroup.value && byGroup.isLoading && <Loading what="usage" />}
      {byGroup.value?.items.length === 0 && <NoUsage />}
      {byGroup.value && byGroup.value.items.length > 0 && (
        <>
          {summed && stacked.value?.metric === summed && stacked.value.group_by === group && (
            <StackedChart report={stacked.value} metric={metric} span={span} group={group} />
          )}
          {!summed && overTime.value && (
            <UsageChart items={overTime.value.items} total={overTime.value.total} metric={metric} span={span} />
          )}
          <GroupTable report={byGroup.value} before={earlier.value} metric={metric} group={group} />
        </>
      )}
    </>
  )
}

function NoUsage() {
  return (
    <Empty title="No usage in this time">
      <p>Choose a longer time, remove a filter, or send a request. The sandbox needs no provider and costs nothing:</p>
      <FirstCall />
    </Empty>
  )
}
