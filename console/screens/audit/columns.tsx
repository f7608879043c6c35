import type { AuditEntry } from '../../../src/contract/admin/audit.ts'
import { pathWith } from '../../api/client.ts'
import { moment, shortMoment } from '../../parts/format.ts'
import type { Column } from '../../parts/table.tsx'
import { type Texts, useQuery } from '../../parts/use-query.ts'
import { changesOf, changeText } from './changes.ts'

export function columnsFor(people: ReadonlyMap<string, string>): readonly Column<AuditEntry>[] {
  return [
    { name: 'at', title: 'Time', cell: (entry) => <OpenLink of={entry} /> },
    { name: 'actor', title: 'Who', cell: ({ actor }) => <span title={actor}>{people.get(actor) ?? actor}</span> },
    { name: 'via', title: 'How', cell: ({ via }) => via },
    { name: 'action', title: 'Action', cell: ({ action }) => action },
    { name: 'object', title: 'Object', cell: ({ object }) => object },
    { name: 'change', title: 'Before → after', cell: (entry) => changesOf(entry).map(changeText).join(', ') },
    { name: 'ip', title: 'From', cell: ({ ip }) => ip ?? '' },
    { name: 'seq', title: 'Number', isExtra: true, isNumber: true, cell: ({ seq }) => seq },
    { name: 'request', title: 'Request', isExtra: true, cell: ({ request }) => request && <code>{request}</code> },
    { name: 'hash', title: 'Hash', isExtra: true, cell: ({ hash }) => <code>{hash}</code> },
  ]
}

/** The detail of an entry is a part of the list's address. */
export function entryPath(query: Texts, seq: number | undefined): string {
  return pathWith('/audit', { ...query, entry: seq })
}

function OpenLink({ of: { seq, at } }: { of: AuditEntry }) {
  const { query } = useQuery()
  return (
    <a href={entryPath(query, seq)} title={moment(at)}>
      {shortMoment(at)}
    </a>
  )
}
