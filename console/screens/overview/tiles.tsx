import type { UsageItem, UsageReport } from '../../../src/contract/admin/usage.ts'
import { pathWith } from '../../api/client.ts'
import { startOfGroup, type UsageSpan } from '../../parts/chart/usage-span.ts'
import { change, compact, count, duration, money, plural, points, share } from '../../parts/format.ts'
import { pick, useQuery } from '../../parts/use-query.ts'
import { beforeName, type Sums } from './periods.ts'
import { Sparkline } from './sparkline.tsx'

type Props = { total: UsageReport['total']; before: Sums; now: readonly UsageItem[]; span: UsageSpan }

type Tile = {
  title: string
  value: string
  /** How much it has changed, and whether that is good. Traffic is neither. */
  change?: { text: string | undefined; look: '' | 'good' | 'bad' }
  note?: string
  of: (item: UsageItem) => number
  path: string
  query?: Record<string, string>
}

/** Every number leads to the list that it is the sum of. */
export function Tiles({ total, before, now, span }: Props) {
  const { query } = useQuery()
  const time = pick(query, ['from', 'to'])
  const last = { last: query.last ?? (query.from ? '' : '24h') }
  const byStart = new Map(now.map((item) => [startOfGroup(item.group), item]))
  const over = (of: Tile['of']) => span.starts.map((start) => (byStart.has(start) ? of(byStart.get(start)!) : 0))
  return (
    <ul class="tiles">
      {tilesOf(total, before).map((tile) => (
        <li key={tile.title}>
          <a href={pathWith(tile.path, { ...time, ...last, ...tile.query })}>
            <span class="title">{tile.title}</span>
            <span class="value">{tile.value}</span>
            <Sparkline values={over(tile.of)} />
            <Note tile={tile} before={beforeName(query)} />
          </a>
        </li>
      ))}
    </ul>
  )
}

function Note({ tile: { note, change: changed }, before }: { tile: Tile; before: string }) {
  return (
    <span class="note">
      {note}
      {note && changed && ' · '}
      {changed && (changed.text === undefined ? 'no earlier data' : <Change of={changed} before={before} />)}
    </span>
  )
}

function Change({ of: { text, look }, before }: { of: NonNullable<Tile['change']>; before: string }) {
  return (
    <>
      <span class={`change ${look}`}>{text}</span> vs {before}
    </>
  )
}

/** More of it is worse. */
function lookOf(now: number, before: number): '' | 'good' | 'bad' {
  return now === before ? '' : now < before ? 'good' : 'bad'
}

function rateOf({ failed_requests: failed, requests }: Pick<Sums, 'failed_requests' | 'requests'>): number | undefined {
  return requests > 0 ? failed / requests : undefined
}

function tilesOf(total: Props['total'], before: Sums): Tile[] {
  const { p50, p95 } = total.latency_ms
  const { unpriced_requests: unpriced, failed_requests: failed } = total
  const [rate = 0, rateBefore] = [rateOf(total), rateOf(before)]
  return [
    {
      title: 'Spend',
      value: money(total.cost),
      path: '/usage',
      of: ({ cost }) => cost,
      change: { text: change(total.cost, before.cost), look: lookOf(total.cost, before.cost) },
      ...(unpriced > 0 && { note: `${count(unpriced)} without a price` }),
    },
    {
      title: 'Requests',
      value: compact(total.requests),
      path: '/requests',
      of: ({ requests }) => requests,
      change: { text: change(total.requests, before.requests), look: '' },
    },
    {
      title: 'Failed',
      value: share(rate),
      note: plural(failed, 'request'),
      of: (item) => item.failed_requests,
      ...(rateBefore !== undefined && { change: { text: points(rate - rateBefore), look: lookOf(rate, rateBefore) } }),
      path: '/requests',
      query: { failed: 'true' },
    },
    {
      title: 'Tokens',
      value: compact(total.total_tokens),
      of: (item) => item.total_tokens,
      change: { text: change(total.total_tokens, before.total_tokens), look: '' },
      path: '/usage',
      query: { metric: 'tokens' },
    },
    {
      title: 'p95 latency',
      value: duration(p95),
      note: `median ${duration(p50)}`,
      path: '/usage',
      query: { metric: 'p95' },
      of: ({ latency_ms: latency }) => latency.p95 ?? 0,
    },
  ]
}
