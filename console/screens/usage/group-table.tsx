import type { UsageItem, UsageReport } from '../../../src/contract/admin/usage.ts'
import { change as changeText, count, duration, share } from '../../parts/format.ts'
import { knownCost, type Metric } from '../../parts/chart/metrics.ts'
import { type Column, Table } from '../../parts/table.tsx'
import { useQuery } from '../../parts/use-query.ts'

type Props = { report: UsageReport; before: UsageReport | undefined; metric: Metric; group: string }

/** The largest first, with the total of the gateway below: it is the number that the chart shows. */
export function GroupTable({ report, before, metric, group }: Props) {
  const rows = report.items.toSorted((one, other) => (metric.of(other) ?? 0) - (metric.of(one) ?? 0))
  const total = { ...report.total, group: TOTAL, name: 'Total' }
  return (
    <Table
      label={`${metric.title} by ${group}`}
      columns={columnsFor({ report, before, metric, group })}
      rows={rows}
      last={total}
      keyOf={(item) => item.group}
    />
  )
}

/** No group is called so: names of groups have no line breaks. */
const TOTAL = '\n'

function columnsFor({ report, before, metric, group }: Props): Column<UsageItem>[] {
  const sum = metric.of(report.total) ?? 0
  const all: Column<UsageItem>[] = [
    { name: 'group', title: titleOf(group), cell: (item) => <GroupName item={item} group={group} /> },
    { name: 'metric', title: metric.title, isNumber: true, cell: (item) => <b>{metric.format(metric.of(item))}</b> },
    ...(metric.isSum ? [shareColumn(metric, sum)] : []),
    { name: 'before', title: 'Against before', isNumber: true, cell: (item) => changeOf(item, before, metric) },
    { name: 'requests', title: 'Requests', isNumber: true, cell: ({ requests }) => count(requests) },
    { name: 'failed', title: 'Failed', isNumber: true, cell: ({ failed_requests: failed }) => count(failed) },
    { name: 'prompt', title: 'Tokens read', isNumber: true, cell: ({ prompt_tokens }) => count(prompt_tokens) },
    { name: 'cached', title: 'of them cached', isNumber: true, cell: ({ cached_tokens }) => count(cached_tokens) },
    { name: 'answered', title: 'Answered', isNumber: true, cell: ({ completion_tokens: all }) => count(all) },
    { name: 'cost', title: 'Cost', isNumber: true, cell: knownCost },
    { name: 'p95', title: 'Duration, 95 %', isNumber: true, cell: ({ latency_ms: { p95 } }) => duration(p95) },
  ]
  // What is shown is beside the name already.
  return all.filter(({ name, title }) => name === 'metric' || title !== metric.title)
}

function shareColumn(metric: Metric, sum: number): Column<UsageItem> {
  const partOf = (item: UsageItem) => (sum > 0 ? (metric.of(item) ?? 0) / sum : 0)
  return {
    ...{ name: 'share', title: 'Share', isNumber: true },
    cell: (item) => (
      <span class="share">
        {share(partOf(item))}
        <meter min={0} max={1} value={partOf(item)} aria-hidden="true" />
      </span>
    ),
  }
}

function changeOf(item: UsageItem, before: UsageReport | undefined, metric: Metric): string {
  if (!before) return ''
  const earlier = item.group === TOTAL ? before.total : before.items.find(({ group }) => group === item.group)
  const amount = earlier ? (metric.of(earlier) ?? 0) : 0
  return changeText(metric.of(item) ?? 0, amount) ?? (metric.of(item) ? 'new' : '')
}

function titleOf(group: string): string {
  const text = group.replace(/^tag:/, 'tag ').replaceAll('_', ' ')
  return text.charAt(0).toUpperCase() + text.slice(1)
}

/** Its name limits the screen to it. */
function GroupName({ item: { group, name }, group: by }: { item: UsageItem; group: string }) {
  const { change } = useQuery()
  if (group === TOTAL) return <b>Total</b>
  if (group === '' || group === '(other)') return <span class="faint">{group === '' ? 'none' : 'others'}</span>
  const filter = by.startsWith('tag:') ? { tag: `${by.slice('tag:'.length)}=${group}` } : { [by]: group }
  return (
    <button type="button" class="link" onClick={() => change(filter)} title={`Only ${name ?? group}`}>
      {name ?? group}
    </button>
  )
}
