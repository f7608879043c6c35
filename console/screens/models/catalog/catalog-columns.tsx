import type { CatalogModel } from '../../../../src/contract/admin/providers.ts'
import type { UsageItem } from '../../../../src/contract/admin/usage.ts'
import { pathWith } from '../../../api/client.ts'
import { may } from '../../../api/session.ts'
import { compact, count, duration, share } from '../../../parts/format.ts'
import type { Column } from '../../../parts/table/column.ts'
import { retirement } from '../../../parts/retirement.ts'
import { perMillion } from './prices.ts'

type Model = Column<CatalogModel>

const number = { isNumber: true } as const
const measured = { isNumber: true, isMinor: true } as const
const extra = { isExtra: true } as const

const NAME: Model = {
  name: 'id',
  title: 'Model',
  isMain: true,
  isControl: true,
  sort: ({ id }) => id,
  tip: ({ id }) => id,
  cell: (model) => <Name of={model} />,
}
const STATE: Model = {
  name: 'state',
  title: 'State',
  sort: ({ configured }) => !configured,
  cell: (model) => <State of={model} />,
}
const TYPE: Model = { name: 'type', title: 'Type', isMinor: true, sort: ({ type }) => type, cell: ({ type }) => type }
const CONTEXT: Model = {
  name: 'context',
  title: 'Context',
  ...number,
  sort: ({ context_length: length }) => length,
  cell: ({ context_length: length }) => compact(length),
}
const PRICES: readonly Model[] = [
  {
    name: 'input',
    title: 'Input / 1M',
    ...number,
    sort: ({ pricing }) => pricing?.input_cost_per_token,
    cell: ({ pricing }) => perMillion(pricing?.input_cost_per_token),
  },
  {
    name: 'output',
    title: 'Output / 1M',
    ...number,
    sort: ({ pricing }) => pricing?.output_cost_per_token,
    cell: ({ pricing }) => perMillion(pricing?.output_cost_per_token),
  },
]
const MEASURED: readonly Model[] = [
  {
    name: 'first',
    title: 'First token',
    ...measured,
    sort: ({ first_token_ms: ms }) => ms,
    cell: ({ first_token_ms: ms }) => duration(ms),
  },
  {
    name: 'speed',
    title: 'Tokens/s',
    ...measured,
    ...extra,
    sort: ({ tokens_per_second: one }) => one,
    cell: ({ tokens_per_second: one }) => count(one && Math.round(one)),
  },
  {
    name: 'errors',
    title: 'Errors',
    ...measured,
    sort: ({ error_rate: rate }) => rate,
    cell: ({ error_rate: rate }) => (rate === null ? '–' : share(rate)),
  },
]
const ALLOWED: Model = { name: 'for', title: 'Allowed for', isMinor: true, cell: (model) => <Allowed of={model} /> }
const CAPABILITIES: Model = {
  name: 'capabilities',
  title: 'Capabilities',
  ...extra,
  cell: ({ capabilities }) => capabilities.map((one) => CAPABILITY_NAMES[one]).join(', '),
}
const EXTRAS: readonly Model[] = [
  {
    name: 'max_output',
    title: 'Max output',
    ...number,
    ...extra,
    sort: ({ max_output_tokens: most }) => most,
    cell: ({ max_output_tokens: most }) => compact(most),
  },
  { name: 'regions', title: 'Regions', ...extra, cell: ({ regions }) => regions.map(({ code }) => code).join(', ') },
  { name: 'version', title: 'Price as of', ...extra, cell: ({ price_version: version }) => version ?? '–' },
  { name: 'source', title: 'Price source', ...extra, cell: ({ price_source: source }) => source ?? '–' },
]

export const CAPABILITY_NAMES: Readonly<Record<CatalogModel['capabilities'][number], string>> = {
  tools: 'Tools',
  vision: 'Vision',
  reasoning: 'Reasoning',
  json_schema: 'Structured output',
  files: 'Files (PDF)',
  audio: 'Audio',
  web_search: 'Web search',
}

/** What was measured is for operators. */
export function columnsFor(onTry: (model: string) => void): readonly Model[] {
  const isOperator = may('config.read')
  const tryIt: Model = {
    name: 'try',
    title: 'Try',
    isControl: true,
    cell: (model) => <TryButton of={model} onTry={onTry} />,
  }
  return [
    ...[NAME, ...(isOperator ? [STATE] : []), TYPE, CONTEXT, ...PRICES, ...(isOperator ? MEASURED : [])],
    ...[ALLOWED, ...(may('keys.write') ? [tryIt] : []), CAPABILITIES, ...EXTRAS],
  ]
}

/** With what the ledger has of the last day, by model. */
export function columnsOfProvider(usage: readonly UsageItem[] = []): readonly Model[] {
  const byModel = new Map(usage.map((item) => [item.group, item]))
  const calls = ({ id }: CatalogModel) => byModel.get(id)
  const failed = (item: UsageItem | undefined) => item && item.failed_requests / item.requests
  return [
    ...[NAME, TYPE, CONTEXT, ...PRICES],
    {
      name: 'calls',
      title: 'Requests, 24 h',
      ...number,
      sort: (model) => calls(model)?.requests,
      cell: (model) => count(calls(model)?.requests),
    },
    {
      name: 'p95',
      title: 'p95 latency',
      ...measured,
      sort: (model) => calls(model)?.latency_ms.p95,
      cell: (model) => duration(calls(model)?.latency_ms.p95),
    },
    {
      name: 'failed',
      title: 'Failed',
      ...measured,
      sort: (model) => failed(calls(model)),
      cell: (model) => (calls(model) ? share(failed(calls(model))!) : '–'),
    },
  ]
}

function Name({ of: { id, alias_of: target, retires_at: end } }: { of: CatalogModel }) {
  return (
    <span class="marked">
      <a class="row-link" href={pathWith('/models', { model: id })}>
        {id}
      </a>
      {target && <span class="badge">alias</span>}
      {end && <span class="badge">{retirement(end)}</span>}
    </span>
  )
}

function State({ of: { configured } }: { of: CatalogModel }) {
  return configured ? <span class="status good">callable</span> : <span class="faint">not set up</span>
}

/** Of more than two projects, how many. */
export function Allowed({ of: { restricted_to: projects } }: { of: Pick<CatalogModel, 'restricted_to'> }) {
  if (projects === null) return <>{may('config.read') ? 'everyone' : 'all your projects'}</>
  const names = projects.join(', ')
  return <span title={names}>{projects.length > 2 ? `${projects.length} projects` : names || 'no project'}</span>
}

/** One token of a chat model shows that key, address and network are right. */
function TryButton({ of: { id, type, configured }, onTry }: { of: CatalogModel; onTry: (model: string) => void }) {
  if (!configured || type !== 'chat') return null
  return (
    <button type="button" class="small" onClick={() => onTry(id)}>
      Try<span class="sr-only"> {id}</span>
    </button>
  )
}
