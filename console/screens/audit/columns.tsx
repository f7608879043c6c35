import type { AuditEntry } from '../../../src/contract/admin/audit.ts'
import { moment, shortMoment } from '../../parts/format.ts'
import type { Column } from '../../parts/table/column.ts'
import { type Change, changesOf, changeText } from './changes.ts'

export function columnsFor(names: ReadonlyMap<string, string>): readonly Column<AuditEntry>[] {
  return [
    {
      name: 'at',
      title: 'Time',
      cell: ({ at }) => shortMoment(at),
      sort: ({ seq }) => seq,
      tip: ({ at }) => moment(at),
    },
    {
      name: 'actor',
      title: 'Actor',
      cell: ({ actor }) => names.get(actor) ?? actor,
      sort: ({ actor }) => names.get(actor) ?? actor,
      tip: ({ actor }) => actor,
    },
    { name: 'via', title: 'Via', isMinor: true, sort: ({ via }) => via, cell: ({ via }) => via },
    { name: 'action', title: 'Action', sort: ({ action }) => action, cell: ({ action }) => action },
    {
      name: 'object',
      title: 'Object',
      cell: ({ object }) => objectName(object, names),
      sort: ({ object }) => objectName(object, names),
      tip: ({ object }) => object,
    },
    { name: 'change', title: 'Change', isMain: true, cell: changeSummary },
    { name: 'ip', title: 'IP address', isMinor: true, sort: ({ ip }) => ip, cell: ({ ip }) => ip ?? '' },
    { name: 'seq', title: 'Number', isExtra: true, isNumber: true, cell: ({ seq }) => seq },
    { name: 'request', title: 'Request', isExtra: true, cell: ({ request }) => request && <code>{request}</code> },
    { name: 'hash', title: 'Hash', isExtra: true, cell: ({ hash }) => <code>{hash}</code> },
  ]
}

/** Fields that a new thing does not have say nothing in a list. The open entry has them all. */
function changeSummary(entry: AuditEntry): string {
  const isSaying = ({ before, after }: Change) => before !== undefined || (after !== 'null' && after !== '[]')
  return changesOf(entry).filter(isSaying).map(changeText).join(', ')
}

const UUID = /^([^:]+):([0-9a-f]{8})-[0-9a-f-]{27}$/

/** `key search backend` for `key:<id>`, as far as its name is known, and otherwise `session 1f0c2a9b`, the beginning of the id. */
export function objectName(object: string, names: ReadonlyMap<string, string>): string {
  const name = names.get(object)
  return name === undefined
    ? object.replace(UUID, '$1 $2').replace(':', ' ')
    : `${object.slice(0, object.indexOf(':'))} ${name}`
}
