import type { LimitBody } from '../../../src/contract/admin/limits.ts'
import { pathWith } from '../../api/client.ts'
import { moment } from '../../parts/format.ts'
import { limitText } from '../../parts/limit-amounts.ts'
import { LimitBar, LimitPace } from '../../parts/limit-bar.tsx'
import type { Column } from '../../parts/table.tsx'
import { useQuery } from '../../parts/use-query.ts'
import { type Holders, holderName } from './holders.ts'
import type { LimitKind } from './kinds.ts'

export function columnsFor(kind: LimitKind, holders: Holders): readonly Column<LimitBody>[] {
  return [
    { name: 'id', title: 'Name', cell: ({ id }) => <OpenLink kind={kind} id={id} /> },
    { name: 'for', title: 'For', cell: (limit) => whomText(limit, holders) },
    { name: 'limit', title: 'Limit', cell: (limit) => <Amount of={limit} /> },
    { name: 'bar', title: 'Spent', cell: (limit) => <LimitBar limit={limit} /> },
    { name: 'pace', title: 'At this pace', cell: (limit) => <LimitPace limit={limit} /> },
    { name: 'resets', title: 'Resets', cell: ({ resets_at }) => (resets_at ? moment(resets_at) : '–') },
    { name: 'origin', title: 'Set in', cell: originOf },
    { name: 'only', title: 'Only for', isExtra: true, cell: restrictionsOf },
    { name: 'changed', title: 'Changed', isExtra: true, cell: ({ updated_at }) => moment(updated_at) },
  ]
}

export function originOf({ owned_by: owner }: LimitBody): string {
  return owner === 'file' ? 'config file' : 'console, API'
}

export function whomText({ applies_to: who, per }: LimitBody, holders: Holders): string {
  return holderName(who, holders) + (per ? `, each ${per.replace('_', ' ')}` : '')
}

/** Models, providers, endpoints and tags, if it is not about all. */
export function restrictionsOf({ models, providers, endpoints, tags }: LimitBody): string {
  const pairs = Object.entries(tags ?? {}).map(([name, value]) => `${name}=${value}`)
  return [models, providers, endpoints, pairs].flatMap((list) => list ?? []).join(', ')
}

function Amount({ of: limit }: { of: LimitBody }) {
  const { increase, mode } = limit
  const isRaised = increase && Date.parse(increase.until) > Date.now()
  return (
    <>
      {limitText(limit)}
      {isRaised && <span class="badge">raised</span>}
      {mode === 'shadow' && <span class="badge">only counts</span>}
    </>
  )
}

function OpenLink({ kind, id }: { kind: LimitKind; id: string }) {
  const { query } = useQuery()
  const { budget: _budget, rate_limit: _rate, ...rest } = query
  return <a href={pathWith('/budgets', { ...rest, [kind.parameter]: id })}>{id}</a>
}
