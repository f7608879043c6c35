import { useMemo } from 'preact/hooks'
import { type Texts, useQuery } from './use-query.ts'
import { HOUR_MS } from '../../src/base/units/units.ts'

/** Time spans back from now, by what the address says. */
const SPANS = {
  '1h': { title: 'Last hour', ms: HOUR_MS },
  '24h': { title: 'Last 24 hours', ms: 24 * HOUR_MS },
  '7d': { title: 'Last 7 days', ms: 7 * 24 * HOUR_MS },
  '30d': { title: 'Last 30 days', ms: 30 * 24 * HOUR_MS },
  '90d': { title: 'Last 90 days', ms: 90 * 24 * HOUR_MS },
} as const

export type SpanName = keyof typeof SPANS
type Span = { from: string; to?: string }

/** The same moment until something else is chosen, so that pages of one list fit together. */
export function useSpan(query: Texts, usual: SpanName): Span {
  const { last, from, to } = query
  return useMemo(() => spanOf({ last, from, to }, usual), [last, from, to, usual])
}

type Chosen = { last?: string | undefined; from?: string | undefined; to?: string | undefined }

/** What the address says, or the usual time. */
export function spanOf({ last, from, to }: Chosen, usual: SpanName): Span {
  if (from) return { from, ...(to && { to }) }
  const { ms } = SPANS[last && last in SPANS ? (last as SpanName) : usual]
  return { from: new Date(Date.now() - ms).toISOString() }
}

export function TimeRange({ usual }: { usual: SpanName }) {
  const { query, change } = useQuery()
  const isCustom = query.from !== undefined
  const choose = (value: string) => {
    if (value === 'custom') change({ last: undefined, from: dayStart() })
    else change({ last: value === usual ? undefined : value, from: undefined, to: undefined })
  }
  return (
    <>
      <label>
        <span class="sr-only">Time</span>
        <select
          value={isCustom ? 'custom' : (query.last ?? usual)}
          onChange={(event) => choose(event.currentTarget.value)}
        >
          {Object.entries(SPANS).map(([value, { title }]) => (
            <option key={value} value={value}>
              {title}
            </option>
          ))}
          <option value="custom">Custom range</option>
        </select>
      </label>
      {isCustom && <Moment name="from" label="From" />}
      {isCustom && <Moment name="to" label="To" />}
    </>
  )
}

function Moment({ name, label }: { name: 'from' | 'to'; label: string }) {
  const { query, change } = useQuery()
  const set = (text: string) => change({ [name]: text === '' ? undefined : new Date(text).toISOString() })
  return (
    <label>
      {label}
      <input
        type="datetime-local"
        value={localText(query[name])}
        onChange={(event) => set(event.currentTarget.value)}
      />
    </label>
  )
}

function dayStart(): string {
  const now = new Date()
  return new Date(now.getFullYear(), now.getMonth(), now.getDate()).toISOString()
}

/** As the control wants it: local time, to the minute. */
function localText(iso: string | undefined): string {
  if (!iso) return ''
  const at = new Date(iso)
  return new Date(at.getTime() - at.getTimezoneOffset() * 60_000).toISOString().slice(0, 16)
}
