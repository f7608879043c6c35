import { attribute } from '../semconv.ts'
import type { MetricFamily, MetricPoint, Spread } from '../metric-families.ts'
import { AttributeList, nanos } from './span.ts'

// Metrics in OTLP/JSON, from the same families that /metrics writes as text.

const CUMULATIVE = 2

/** Both on the wall clock: when this process began to count, and now. */
export type Window = { readonly startMs: number; readonly nowMs: number }

/** A family without points has nothing to say yet. */
export function encodeFamily(family: MetricFamily, window: Window): string | undefined {
  const points = family.points()
  if (points.length === 0) return undefined
  const { name, help, type, unit } = family
  const about = `{"name":${JSON.stringify(name)},"description":${JSON.stringify(help)},"unit":${JSON.stringify(unit)}`
  const written = points.map((point) => encodePoint(family, point, window)).join(',')
  if (type === 'gauge') return `${about},"gauge":{"dataPoints":[${written}]}}`
  if (type === 'counter')
    return `${about},"sum":{"dataPoints":[${written}],"aggregationTemporality":${CUMULATIVE},"isMonotonic":true}}`
  return `${about},"histogram":{"dataPoints":[${written}],"aggregationTemporality":${CUMULATIVE}}}`
}

function encodePoint({ labels }: MetricFamily, point: MetricPoint, { startMs, nowMs }: Window): string {
  const attributes = new AttributeList()
  // An empty label means that there is none.
  labels.forEach((label, i) => {
    attributes.add(attribute('string', label), point.values[i] || null)
  })
  const about =
    `{"attributes":[${attributes.text}],"startTimeUnixNano":"${nanos(startMs)}"` + `,"timeUnixNano":"${nanos(nowMs)}"`
  return 'spread' in point ? `${about},${encodeSpread(point.spread)}}` : `${about},"asDouble":${point.value}}`
}

function encodeSpread({ bounds, buckets, sum, count }: Spread): string {
  const above = count - buckets.reduce((all, one) => all + one, 0)
  const counts = [...buckets, above].map((one) => `"${one}"`)
  return `"count":"${count}","sum":${sum},"bucketCounts":[${counts.join(',')}],"explicitBounds":[${bounds.join(',')}]`
}
