import type { UsageItem, UsageReport } from '../../../src/contract/admin/usage.ts'
import { change as changeText, count, duration, share } from '../../parts/format.ts'
import { knownCost, type Metric } from '../../parts/chart/metrics.ts'
import type { Column } from '../../parts/table/column.ts'
import { Table } from '../../parts/table/table.tsx'
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
    {
      name: 'group',
      title: titleOf(group),
      isMain: true,
      isControl: true,
      sort: (item) => item.name ?? item.group,
      cell: (item) => <GroupName item={item} group={group} />,
    },
    {
      name: 'metric',
      title: metric.title,
      isNumber: true,
      sort: metric.of,
      cell: (item) => <b>{metric.format(metric.of(item))}</b>,
    },
    ...(metric.isSum ? [shareColumn(metric, sum)] : []),
    { name: 'before', title: 'vs previous', isNumber: true, cell: (item) => changeOf(item, before, metric) },
    {
      name: 'requests',
      title: 'Requests',
      isNumber: true,
      sort: ({ requests }) => requests,
      cell: ({ requests }) => count(requests),
    },
    {
      name: 'failed',
      title: 'Failed',
      isNumber: true,
      sort: ({ failed_requests: failed }) => failed,
      cell: ({ failed_requests: failed }) => count(failed),
    },
    {
      name: 'prompt',
      title: 'Input tokens',
      isNumber: true,
      sort: ({ prompt_tokens: tokens }) => tokens,
      isMinor: true,
      cell: ({ prompt_tokens: tokens }) => count(tokens),
    },
    {
      name: 'cached',
      title: 'Cached input',
      isNumber: true,
      sort: ({ cached_tokens: tokens }) => tokens,
      isMinor: true,
      cell: ({ cached_tokens: tokens }) => count(tokens),
    },
    {
      name: 'answered',
      title: 'Output tokens',
      isNumber: true,
      sort: ({ completion_tokens: tokens }) => tokens,
      isMinor: true,
      cell: ({ completion_tokens: tokens }) => count(tokens),
    },
    { name: 'cost', title: 'Cost', isNumber: true, sort: ({ cost }) => cost, cell: knownCost },
    {
      name: 'p95',
      title: 'p95 latency',
      isNumber: true,
      sort: ({ latency_ms: { p95 } }) => p95,
      cell: ({ latency_ms: { p95 } }) => duration(p95),
    },
  ]
  // What is shown is beside the name already.
  return all.filter(({ name, title }) => name === 'metric' || title !== metric.title)
}

function shareColumn(metric: Metric, sum: number): Column<UsageItem> {
  const partOf = (item: UsageItem) => (sum > 0 ? (metric.of(item) ?? 0) / sum : 0)
  return {
    name: 'share',
    title: 'Share',
    isNumber: true,
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
