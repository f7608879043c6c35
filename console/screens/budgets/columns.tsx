import type { LimitBody } from '../../../src/contract/admin/limits.ts'
import { minuteMoment, moment } from '../../parts/format.ts'
import { holderName } from '../../parts/holder-name.ts'
import { limitText } from '../../parts/limit-amounts.ts'
import { LimitBar, LimitPace } from '../../parts/limit-bar.tsx'
import type { Column } from '../../parts/table/column.ts'
import { type Holders, nameIn } from './holders.ts'

export function columnsFor(holders: Holders): readonly Column<LimitBody>[] {
  return [
    { name: 'id', title: 'Name', sort: limitName, cell: limitName },
    {
      name: 'for',
      title: 'Applies to',
      isMain: true,
      sort: (limit) => whomText(limit, holders),
      cell: (limit) => <span class="wrapped">{whomText(limit, holders)}</span>,
    },
    {
      name: 'limit',
      title: 'Limit',
      sort: ({ effective_limit }) => effective_limit,
      cell: (limit) => <Amount of={limit} />,
    },
    { name: 'bar', title: 'Used', sort: ({ spent }) => spent, cell: (limit) => <LimitBar limit={limit} /> },
    { name: 'pace', title: 'Forecast', cell: (limit) => <LimitPace limit={limit} /> },
    {
      name: 'resets',
      title: 'Resets',
      isMinor: true,
      sort: ({ resets_at: at }) => at,
      cell: ({ resets_at: at }) => (at ? minuteMoment(at) : '–'),
      tip: ({ resets_at: at }) => moment(at),
    },
    { name: 'origin', title: 'Set in', isExtra: true, sort: originOf, cell: originOf },
    { name: 'only', title: 'Only for', isExtra: true, cell: restrictionsOf },
    { name: 'changed', title: 'Changed', isExtra: true, cell: ({ updated_at }) => moment(updated_at) },
  ]
}

export function limitName({ id, name }: LimitBody): string {
  return name ?? id
}

export function originOf({ owned_by: owner }: LimitBody): string {
  return owner === 'file' ? 'config file' : 'console or API'
}

export function whomText({ applies_to: who, per }: LimitBody, holders: Holders): string {
  return holderName(who, nameIn(holders)) + (per ? `, per ${per.replace('_', ' ')}` : '')
}

/** Models, providers, endpoints and tags, if it is not about all. */
export function restrictionsOf({ models, providers, endpoints, tags }: LimitBody): string {
  const pairs = Object.entries(tags ?? {}).map(([name, value]) => `${name}=${value}`)
  return [models, providers, endpoints, pairs].flatMap((list) => list ?? []).join(', ')
}

function Amount({ of: limit }: { of: LimitBody }) {
  const { effective_limit, mode } = limit
  const isRaised = effective_limit > limit.limit
  return (
    <span class="wraps">
      {limitText(limit)} {isRaised && <span class="badge">raised</span>}
      {mode === 'shadow' && <span class="badge">monitor only</span>}
    </span>
  )
}
