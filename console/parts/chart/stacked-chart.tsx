import { useCallback, useMemo, useState } from 'preact/hooks'
import type { UsageSeries } from '../../../src/contract/admin/usage.ts'
import { useQuery } from '../use-query.ts'
import type { Metric } from './metrics.ts'
import { SeriesTable } from './series-table.tsx'
import { type Layer, TimeChart } from './time-chart.tsx'
import type { UsageSpan } from './usage-span.ts'

type Part = { title: string; colour: string; values: readonly number[] }
type Props = { report: UsageSeries; metric: Metric; span: UsageSpan; group: string }

/** A metric over time, made of the largest groups and of all others together. */
export function StackedChart({ report, metric, span, group }: Props) {
  const { change } = useQuery()
  const [pointed, setPointed] = useState<number>()
  const parts = useMemo(() => partsOf(report, span), [report, span])
  const layers = useMemo(() => layersOf(parts), [parts])
  const zoom = useCallback((from: string, to: string) => change({ last: undefined, from, to }), [change])
  const sentence = `${metric.title} by ${span.bucket} and ${group}: ${metric.format(report.total)} in total.`
  const whole = { title: 'Total', values: layers[0]?.values ?? [] }
  const chart = { span, layers, format: metric.short, sentence, onZoom: zoom, onPoint: setPointed }
  return (
    <section class="panel wide">
      <h2>{metric.title}</h2>
      {report.total > 0 ? <TimeChart {...chart} /> : <p class="faint">{sentence}</p>}
      <Legend parts={parts} format={metric.format} at={pointed} />
      <SeriesTable span={span} columns={[...parts, whole]} format={metric.format} />
    </section>
  )
}

/** Days and hours without calls are not in the answer. */
function partsOf({ starts, series, others }: UsageSeries, span: UsageSpan): Part[] {
  const places = new Map(starts.map((start, at) => [Date.parse(start), at]))
  const over = (values: readonly number[]) => span.starts.map((start) => values[places.get(start) ?? -1] ?? 0)
  const named = series.map(({ group, name, values }, at) => {
    return { title: name ?? group, colour: `--series-${at + 1}`, values: over(values) }
  })
  const rest = over(others)
  return rest.some((amount) => amount > 0) ? [...named, { title: 'others', colour: '--others', values: rest }] : named
}

/** Each layer reaches from the ground to the top of its part, and the highest is drawn first. */
function layersOf(parts: readonly Part[]): Layer[] {
  const layers: Layer[] = []
  let below: readonly number[] = []
  for (const { colour, values } of parts) {
    below = values.map((amount, at) => amount + (below[at] ?? 0))
    layers.unshift({ colour, values: below })
  }
  return layers
}

type LegendProps = { parts: readonly Part[]; format: Metric['format']; at: number | undefined }

/** The amounts are those of the bar under the pointer, or of the whole time. */
function Legend({ parts, format, at }: LegendProps) {
  const amountOf = ({ values }: Part) => (at === undefined ? values.reduce((all, one) => all + one, 0) : values[at]!)
  return (
    <ul class="legend">
      {parts.map((part) => (
        <li key={part.colour}>
          <span class={`dot ${part.colour.slice(2)}`} aria-hidden="true" /> {part.title}{' '}
          <span class="amount">{format(amountOf(part))}</span>
        </li>
      ))}
    </ul>
  )
}
