import type { AuditEntry } from '../../../src/contract/admin/audit.ts'
import { moment, shortMoment } from '../../parts/format.ts'
import type { Column } from '../../parts/table/column.ts'
import { changesOf, changeText } from './changes.ts'

export function columnsFor(people: ReadonlyMap<string, string>): readonly Column<AuditEntry>[] {
  return [
    {
      ...{ name: 'at', title: 'Time', cell: ({ at }) => shortMoment(at) },
      ...{ sort: ({ seq }) => seq, tip: ({ at }) => moment(at) },
    },
    {
      ...{ name: 'actor', title: 'Who', cell: ({ actor }) => people.get(actor) ?? actor },
      ...{ sort: ({ actor }) => people.get(actor) ?? actor, tip: ({ actor }) => actor },
    },
    { name: 'via', title: 'How', isMinor: true, sort: ({ via }) => via, cell: ({ via }) => via },
    { name: 'action', title: 'Action', sort: ({ action }) => action, cell: ({ action }) => action },
    { name: 'object', title: 'Object', sort: ({ object }) => object, cell: ({ object }) => object },
    { name: 'change', title: 'Before → after', cell: (entry) => changesOf(entry).map(changeText).join(', ') },
    { name: 'ip', title: 'From', isMinor: true, sort: ({ ip }) => ip, cell: ({ ip }) => ip ?? '' },
    { name: 'seq', title: 'Number', isExtra: true, isNumber: true, cell: ({ seq }) => seq },
    { name: 'request', title: 'Request', isExtra: true, cell: ({ request }) => request && <code>{request}</code> },
    { name: 'hash', title: 'Hash', isExtra: true, cell: ({ hash }) => <code>{hash}</code> },
  ]
}
