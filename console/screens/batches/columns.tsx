import type { WatchedBatch } from '../../../src/contract/admin/batches.ts'
import { pathWith } from '../../api/client.ts'
import { count, moment, shortMoment } from '../../parts/format.ts'
import type { Column } from '../../parts/table/column.ts'
import type { Texts } from '../../parts/use-query.ts'
import { EXECUTIONS, STATES } from './states.ts'

export function columnsFor(projectName: (id: string) => string): readonly Column<WatchedBatch>[] {
  const ofProject = ({ project }: WatchedBatch) => projectName(project)
  const keyOf = ({ key_id: id, key_name: name }: WatchedBatch) => name ?? id
  return [
    {
      name: 'created',
      title: 'Submitted',
      cell: ({ created_at: at }) => shortMoment(at),
      sort: ({ created_at: at }) => at,
      tip: ({ created_at: at }) => moment(at),
    },
    {
      name: 'state',
      title: 'State',
      sort: ({ status }) => STATES[status],
      cell: (batch) => <BatchState batch={batch} />,
    },
    { name: 'project', title: 'Project', sort: ofProject, cell: ofProject },
    { name: 'key', title: 'Key', isMinor: true, sort: keyOf, cell: keyOf },
    { name: 'progress', title: 'Progress', sort: endedOf, cell: (batch) => <BatchProgress batch={batch} /> },
    { name: 'reason', title: 'Reason', isMain: true, cell: ({ paused_reason: reason }) => reason ?? '' },
    { name: 'resumes', title: 'Resumes', isExtra: true, cell: ({ resumes_at: at }) => (at ? shortMoment(at) : '') },
    { name: 'execution', title: 'Answered by', isMinor: true, cell: ({ execution }) => EXECUTIONS[execution] },
    { name: 'endpoint', title: 'Endpoint', isExtra: true, cell: ({ endpoint }) => endpoint ?? 'several' },
    { name: 'api', title: 'API', isExtra: true, cell: ({ api }) => api },
    { name: 'ended', title: 'Ended', isExtra: true, cell: ({ ended_at: at }) => moment(at) },
    { name: 'id', title: 'ID', isExtra: true, cell: ({ id }) => <code>{id}</code> },
  ]
}

const LOOKS: Partial<Record<WatchedBatch['status'], string>> = { completed: 'good', failed: 'bad', expired: 'bad' }

export function BatchState({ batch: { status, paused_reason: reason } }: { batch: WatchedBatch }) {
  if (reason !== null) return <span class="status warn">paused</span>
  return <span class={`status ${LOOKS[status] ?? ''}`}>{STATES[status]}</span>
}

/** Requests that are not open any more. */
function endedOf({ succeeded, errored, cancelled, expired }: WatchedBatch): number {
  return succeeded + errored + cancelled + expired
}

/** The numbers are below the bar, so it says nothing to a screen reader. */
export function BatchProgress({ batch }: { batch: WatchedBatch }) {
  const { total, succeeded, errored, cancelled, expired } = batch
  const others = { failed: errored, cancelled, expired }
  const failed = errored + expired
  return (
    <span class="limit-bar">
      <span class="bar" aria-hidden="true">
        {succeeded > 0 && <span class="part spent" style={{ flexGrow: succeeded }} />}
        {failed > 0 && <span class="part spent bad" style={{ flexGrow: failed }} />}
        <span style={{ flexGrow: Math.max(0, total - succeeded - failed) }} />
      </span>
      <small>
        {count(succeeded)} of {count(total)}
        {Object.entries(others).map(([word, amount]) => (amount > 0 ? `, ${count(amount)} ${word}` : ''))}
      </small>
    </span>
  )
}

/** The detail of a batch is a part of the list's address. */
export function batchPath(query: Texts, id: string | undefined): string {
  return pathWith('/batches', { ...query, batch: id })
}
