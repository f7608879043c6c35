import type { AuditEntry } from '../../../src/contract/admin/audit.ts'
import { pathWith } from '../../api/client.ts'
import { Dialog } from '../../parts/dialog.tsx'
import { Facts } from '../../parts/facts.tsx'
import { moment } from '../../parts/format.ts'
import { useQuery } from '../../parts/use-query.ts'
import { changesOf } from './changes.ts'
import { objectName } from './columns.tsx'

type Names = ReadonlyMap<string, string>
type Props = { seq: number; entries: readonly AuditEntry[]; names: Names }

/** The API has no entry alone, so only those of the list can be opened. */
export function EntryDetail({ seq, entries, names }: Props) {
  const { change } = useQuery()
  const entry = entries.find((one) => one.seq === seq)
  return (
    <Dialog title={`Entry ${seq}`} isDrawer onClose={() => change({ entry: undefined })}>
      {entry ? (
        <Parts entry={entry} older={entries.find((one) => one.seq === seq - 1)} names={names} />
      ) : (
        <p>This entry is not on the loaded pages. Remove the filters, and choose its time.</p>
      )}
    </Dialog>
  )
}

type PartsProps = { entry: AuditEntry; older: AuditEntry | undefined }

function Parts({ entry, older, names }: PartsProps & { names: Names }) {
  const only = (name: 'actor' | 'action' | 'object') => (
    <a href={pathWith('/audit', { [name]: entry[name] })} title={entry[name]}>
      {name === 'actor' ? (names.get(entry.actor) ?? entry.actor) : objectName(entry[name], names)}
    </a>
  )
  return (
    <>
      <Facts
        of={{
          Time: moment(entry.at),
          Actor: only('actor'),
          Via: entry.via,
          Action: only('action'),
          Object: only('object'),
          'IP address': entry.ip,
          Request: entry.request,
        }}
      />
      <h3>Changes</h3>
      <Changes entry={entry} />
      <h3>Hash chain</h3>
      <Facts of={{ Hash: <code>{entry.hash}</code>, 'Previous hash': <code>{entry.prev}</code> }} />
      <Link entry={entry} older={older} />
    </>
  )
}

/** Whether two entries of the screen fit together. That their hashes are right, the command for verifying says. */
function Link({ entry: { prev, seq }, older }: PartsProps) {
  if (!older) return <p class="faint">Entry {seq - 1} is not on the loaded pages.</p>
  if (older.hash === prev) return <p class="status good">Follows entry {older.seq}.</p>
  return <p class="status bad">Does not follow entry {older.seq}: the log was altered.</p>
}

function Changes({ entry }: { entry: AuditEntry }) {
  const changes = changesOf(entry)
  if (changes.length === 0) return <p class="faint">No fields changed.</p>
  return (
    <table class="changes">
      <caption class="sr-only">Fields as they were and as they are</caption>
      <thead>
        <tr>
          <th scope="col">Field</th>
          <th scope="col">Before</th>
          <th scope="col">After</th>
        </tr>
      </thead>
      <tbody>
        {changes.map(({ field, before, after }) => (
          <tr key={field}>
            <th scope="row">{field}</th>
            <td>{before ?? '–'}</td>
            <td>{after ?? '–'}</td>
          </tr>
        ))}
      </tbody>
    </table>
  )
}
