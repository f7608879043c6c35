import type { WatchedJob } from '../../../src/contract/admin/operations.ts'
import { pathWith } from '../../api/client.ts'
import { count, duration, moment, money, shortMoment } from '../../parts/format.ts'
import type { Column } from '../../parts/table/column.ts'
import type { Texts } from '../../parts/use-query.ts'
import { STATES } from './states.ts'

export function columnsFor(projectName: (id: string) => string): readonly Column<WatchedJob>[] {
  const ownerOf = ({ owner }: WatchedJob) => projectName(owner)
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
      sort: ({ state }) => STATES[state],
      cell: ({ state }) => <JobState state={state} />,
    },
    { name: 'task', title: 'Task', sort: taskOf, cell: taskOf },
    { name: 'provider', title: 'Provider', sort: ({ provider }) => provider, cell: ({ provider }) => provider },
    { name: 'model', title: 'Model', isMinor: true, sort: ({ model }) => model, cell: ({ model }) => model ?? '' },
    { name: 'owner', title: 'Owner', isMinor: true, sort: ownerOf, cell: ownerOf },
    { name: 'duration', title: 'Duration', isNumber: true, sort: tookMs, cell: (job) => duration(tookMs(job)) },
    { name: 'cost', title: 'Cost', isNumber: true, sort: ({ cost }) => cost, cell: ({ cost }) => money(cost) },
    {
      name: 'executions',
      title: 'Runs',
      isNumber: true,
      isExtra: true,
      cell: ({ executions }) => count(executions),
      sort: ({ executions }) => executions,
    },
    { name: 'error', title: 'Error', isMain: true, cell: ({ error }) => error ?? '' },
    { name: 'key', title: 'Key', isExtra: true, cell: ({ key_id: id, key_name: name }) => name ?? id },
    { name: 'finished', title: 'Finished', isExtra: true, cell: ({ finished_at }) => moment(finished_at) },
    { name: 'id', title: 'ID', isExtra: true, cell: ({ id }) => <code>{id}</code> },
  ]
}

export function taskOf({ feature, subfeature }: Pick<WatchedJob, 'feature' | 'subfeature'>): string {
  return `${feature}/${subfeature}`
}

/** From its last start to its end. */
export function tookMs({ started_at: from, finished_at: to }: WatchedJob): number | null {
  return from && to ? Date.parse(to) - Date.parse(from) : null
}

const LOOKS = { queued: '', running: 'warn', success: 'good', fail: 'bad' }

export function JobState({ state }: Pick<WatchedJob, 'state'>) {
  return <span class={`status ${LOOKS[state]}`}>{STATES[state]}</span>
}

/** The detail of a job is a part of the list's address. */
export function jobPath(query: Texts, id: string | undefined): string {
  return pathWith('/jobs', { ...query, job: id })
}
