import type { AuditEntry } from '../../../src/contract/admin/audit.ts'
import { pathWith } from '../../api/client.ts'
import { Dialog } from '../../parts/dialog.tsx'
import { Facts } from '../../parts/facts.tsx'
import { moment } from '../../parts/format.ts'
import { useQuery } from '../../parts/use-query.ts'
import { changesOf } from './changes.ts'

type Props = { seq: number; entries: readonly AuditEntry[] }

/** The API has no entry alone, so only those of the list can be opened. */
export function EntryDetail({ seq, entries }: Props) {
  const { change } = useQuery()
  const entry = entries.find((one) => one.seq === seq)
  return (
    <Dialog title={`Entry ${seq}`} isDrawer onClose={() => change({ entry: undefined })}>
      {entry ? (
        <Parts entry={entry} older={entries.find((one) => one.seq === seq - 1)} />
      ) : (
        <p>This entry is not on the pages that are shown. Choose the time of it, and no other filter.</p>
      )}
    </Dialog>
  )
}

type PartsProps = { entry: AuditEntry; older: AuditEntry | undefined }

function Parts({ entry, older }: PartsProps) {
  const only = (name: 'actor' | 'action' | 'object') => (
    <a href={pathWith('/audit', { [name]: entry[name] })}>{entry[name]}</a>
  )
  return (
    <>
      <Facts
        of={{
          Time: moment(entry.at),
          Who: only('actor'),
          How: entry.via,
          Action: only('action'),
          Object: only('object'),
          From: entry.ip,
          Request: entry.request,
        }}
      />
      <h3>Before → after</h3>
      <Changes entry={entry} />
      <h3>Chain</h3>
      <Facts of={{ Hash: <code>{entry.hash}</code>, 'Hash before': <code>{entry.prev}</code> }} />
      <Link entry={entry} older={older} />
    </>
  )
}

/** Whether two entries of the screen fit together. That their hashes are right, the command for verifying says. */
function Link({ entry: { prev, seq }, older }: PartsProps) {
  if (!older) return <p class="faint">Entry {seq - 1} is not on the pages that are shown.</p>
  if (older.hash === prev) return <p class="status good">It follows entry {older.seq}.</p>
  return <p class="status bad">It does not follow entry {older.seq}: the log was changed.</p>
}

function Changes({ entry }: { entry: AuditEntry }) {
  const changes = changesOf(entry)
  if (changes.length === 0) return <p class="faint">No field was changed.</p>
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
