import { useCallback, useMemo } from 'preact/hooks'
import type { UsageItem, UsageReport } from '../../../src/contract/admin/usage.ts'
import type { Metric } from './metrics.ts'
import { SeriesTable } from './series-table.tsx'
import { TimeChart } from './time-chart.tsx'
import { startOfGroup, type UsageSpan } from './usage-span.ts'
import { useQuery } from '../use-query.ts'

type Props = {
  /** Of a report by hour or day. */
  items: readonly UsageItem[]
  total: UsageReport['total']
  metric: Metric
  span: UsageSpan
}

/** A metric over time. To draw over a part of it changes the time of the whole screen. */
export function UsageChart({ items, total, metric, span }: Props) {
  const { change } = useQuery()
  const values = useMemo(() => {
    const byStart = new Map(items.map((item) => [startOfGroup(item.group), metric.of(item)]))
    return span.starts.map((start) => byStart.get(start) ?? null)
  }, [items, metric, span])
  const layers = useMemo(() => [{ colour: '--bar', values }], [values])
  const zoom = useCallback((from: string, to: string) => change({ last: undefined, from, to }), [change])
  const whole = `${metric.format(metric.of(total))} ${metric.isSum ? 'in total' : 'over the whole time'}`
  const sentence = `${metric.title} by ${span.bucket}: ${whole}.`
  return (
    <section class="panel wide">
      <h2>{metric.title}</h2>
      {values.some(Boolean) ? (
        <TimeChart span={span} layers={layers} format={metric.short} sentence={sentence} onZoom={zoom} />
      ) : (
        // An empty grid would have amounts that nobody has spent.
        <p class="faint">{sentence}</p>
      )}
      <SeriesTable span={span} columns={[{ title: metric.title, values }]} format={metric.format} />
    </section>
  )
}
