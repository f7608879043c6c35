import type { CatalogModel } from '../../../src/contract/admin/providers.ts'
import { may } from '../../api/session.ts'
import { compact, count, duration, money, share } from '../../parts/format.ts'
import type { Column } from '../../parts/table/column.ts'

const MILLION = 1_000_000

export function columnsFor(onTry: (model: string) => void): readonly Column<CatalogModel>[] {
  return [
    { name: 'id', title: 'Model', sort: ({ id }) => id, cell: ({ id }) => id },
    { name: 'state', title: 'State', sort: ({ configured }) => !configured, cell: (model) => <State of={model} /> },
    { name: 'type', title: 'Type', sort: ({ type }) => type, cell: ({ type }) => type },
    ...FIGURES,
    { name: 'for', title: 'Allowed for', cell: (model) => <Allowed of={model} /> },
    { name: 'try', title: 'Try', isControl: true, cell: (model) => <TryButton of={model} onTry={onTry} /> },
    ...EXTRAS,
  ]
}

const number = { isNumber: true } as const
const measured = { isNumber: true, isMinor: true } as const
const extra = { isExtra: true } as const

const FIGURES: readonly Column<CatalogModel>[] = [
  {
    ...{ name: 'input', title: 'In, per 1M', sort: ({ pricing }) => pricing?.input_cost_per_token },
    ...{ ...number, cell: ({ pricing }) => perMillion(pricing?.input_cost_per_token) },
  },
  {
    name: 'output',
    title: 'Out, per 1M',
    ...number,
    sort: ({ pricing }) => pricing?.output_cost_per_token,
    cell: ({ pricing }) => perMillion(pricing?.output_cost_per_token),
  },
  {
    name: 'first',
    title: 'First token',
    ...measured,
    sort: ({ first_token_ms: ms }) => ms,
    cell: ({ first_token_ms: ms }) => duration(ms),
  },
  {
    ...{ name: 'speed', title: 'Tokens/s', ...measured, sort: ({ tokens_per_second: one }) => one },
    cell: ({ tokens_per_second: one }) => count(one && Math.round(one)),
  },
  {
    ...{ name: 'errors', title: 'Errors', ...measured, sort: ({ error_rate: rate }) => rate },
    cell: ({ error_rate: rate }) => (rate === null ? '–' : share(rate)),
  },
]

const EXTRAS: readonly Column<CatalogModel>[] = [
  { name: 'context', title: 'Reads', ...number, ...extra, sort: contextOf, cell: (model) => compact(contextOf(model)) },
  { name: 'regions', title: 'Regions', ...extra, cell: ({ regions }) => regions.map(({ code }) => code).join(', ') },
  { name: 'version', title: 'Price of', ...extra, cell: ({ price_version: version }) => version ?? '–' },
  { name: 'source', title: 'Price from', ...extra, cell: ({ price_source: source }) => source ?? '–' },
]

function contextOf({ context_length: length }: CatalogModel) {
  return length
}

function perMillion(usd: number | null | undefined): string {
  return money(usd === null || usd === undefined ? usd : usd * MILLION)
}

function State({ of: { configured, retires_at: end } }: { of: CatalogModel }) {
  return (
    <>
      {configured ? <span class="status good">ready</span> : <span class="faint">not set up</span>}
      {end && <span class="badge">ends {end.slice(0, 10)}</span>}
    </>
  )
}

/** Of more than two projects, how many. */
function Allowed({ of: { restricted_to: projects } }: { of: CatalogModel }) {
  if (projects === null) return <>everybody</>
  const names = projects.join(', ')
  return <span title={names}>{projects.length > 2 ? `${projects.length} projects` : names || 'no project'}</span>
}

/** One token of a chat model shows that key, address and network are right. */
function TryButton({ of: { id, type, configured }, onTry }: { of: CatalogModel; onTry: (model: string) => void }) {
  if (!configured || type !== 'chat' || !may('keys.write')) return null
  return (
    <button type="button" class="small" onClick={() => onTry(id)}>
      Try<span class="sr-only"> {id}</span>
    </button>
  )
}
