import type { Delivery } from '../../../src/contract/admin/operations.ts'
import { count, moment, shortMoment } from '../../parts/format.ts'
import type { Column } from '../../parts/table/column.ts'

export function columnsFor(projectName: (id: string) => string): readonly Column<Delivery>[] {
  const ownerOf = ({ owner }: Delivery) => projectName(owner)
  return [
    {
      name: 'created',
      title: 'Time',
      cell: ({ created_at: at }) => shortMoment(at),
      sort: ({ created_at: at }) => at,
      tip: ({ created_at: at }) => moment(at),
    },
    { name: 'state', title: 'State', sort: ({ state }) => state, cell: ({ state }) => <DeliveryState state={state} /> },
    { name: 'url', title: 'Receiver', isMain: true, sort: ({ url }) => url, cell: ({ url }) => url },
    {
      name: 'status',
      title: 'Last status',
      isNumber: true,
      cell: ({ last_status: status }) => status ?? '–',
      sort: ({ last_status: status }) => status,
    },
    {
      name: 'attempts',
      title: 'Attempts',
      isNumber: true,
      cell: ({ attempts }) => count(attempts),
      sort: ({ attempts }) => attempts,
    },
    {
      name: 'next',
      title: 'Next attempt',
      isMinor: true,
      tip: (delivery) => nextAttempt(delivery) ?? '',
      cell: (delivery) => (nextAttempt(delivery) ? shortMoment(delivery.next_at) : ''),
    },
    { name: 'error', title: 'Error', isMinor: true, cell: ({ last_error }) => last_error ?? '' },
    { name: 'owner', title: 'Owner', isMinor: true, sort: ownerOf, cell: ownerOf },
    { name: 'job', title: 'Job', isExtra: true, cell: ({ job_id }) => <code>{job_id}</code> },
    { name: 'settled', title: 'Finished', isExtra: true, cell: ({ settled_at }) => moment(settled_at) },
    { name: 'key', title: 'Signed by', isExtra: true, cell: ({ key_id }) => <code>{key_id}</code> },
    { name: 'id', title: 'ID', isExtra: true, cell: ({ id }) => <code>{id}</code> },
  ]
}

const LOOKS = { pending: 'warn', delivered: 'good', failed: 'bad' }
const TITLES = { pending: 'waiting', delivered: 'delivered', failed: 'failed' }

export function DeliveryState({ state }: Pick<Delivery, 'state'>) {
  return <span class={`status ${LOOKS[state]}`}>{TITLES[state]}</span>
}

/** Only what waits has one. */
export function nextAttempt({ state, next_at: at }: Delivery): string | undefined {
  return state === 'pending' ? moment(at) : undefined
}
