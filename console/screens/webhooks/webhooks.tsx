import { useMemo, useState } from 'preact/hooks'
import type { QueryName } from '../../api/client.ts'
import { may } from '../../api/session.ts'
import { usePages } from '../../api/use-pages.ts'
import { CodeBlock } from '../../parts/code-block.tsx'
import { ColumnChoice, useColumns } from '../../parts/table/column-choice.tsx'
import { FilterBar, type FilterField } from '../../parts/filters/filter-bar.tsx'
import { apiUrl } from '../../api/api-url.ts'
import { callCommand } from '../../api/call-command.ts'
import { Downloads } from '../../parts/downloads.tsx'
import { Icon } from '../../parts/icons/icon.tsx'
import { Empty } from '../../parts/notice.tsx'
import { ScreenHead } from '../../parts/screen-head.tsx'
import type { Opens } from '../../parts/table/open-row.tsx'
import { PagedTable } from '../../parts/table/paged-table.tsx'
import { TimeRange, useSpan } from '../../parts/time-range.tsx'
import { useProjectNames } from '../../parts/use-names.ts'
import { pick, useQuery } from '../../parts/use-query.ts'
import { columnsFor } from './columns.tsx'
import { DeliveryDetail } from './delivery-detail.tsx'
import { ReplayFailed } from './replay-failed.tsx'
import { SendTest } from './send-test.tsx'

const PATH = '/admin/deliveries'
const STATES = { pending: 'Waiting', delivered: 'Delivered', failed: 'Failed' }
const FIELDS: readonly FilterField<QueryName<'/admin/deliveries'>>[] = [
  { name: 'state', label: 'State', choices: STATES },
  { name: 'receiver', label: 'Receiver', placeholder: 'hooks.example.com' },
  { name: 'project', label: 'Project', from: 'project', placeholder: 'Name of a project' },
  { name: 'last_status', label: 'Last status', placeholder: '503' },
  { name: 'job_id', label: 'Job', placeholder: 'Job ID' },
  { name: 'owner', label: 'Owner', from: 'owner' },
]
const NAMES = FIELDS.map(({ name }) => name)

type Action = 'test' | 'replay'

export default function Webhooks() {
  const { query } = useQuery()
  const projectName = useProjectNames()
  const [action, setAction] = useState<Action>()
  const picked = pick(query, NAMES)
  const filter = { ...useSpan(query, '7d'), ...picked }
  const pages = usePages(PATH, filter)
  const { columns, ...choice } = useColumns(
    'webhooks',
    useMemo(() => columnsFor(projectName), [projectName]),
  )
  const close = () => setAction(undefined)
  const opens: Opens = { as: 'delivery', show: (id) => <DeliveryDetail id={id} onChanged={pages.reload} /> }
  return (
    <>
      <ScreenHead title="Webhooks">
        <button type="button" onClick={pages.reload}>
          <Icon name="refresh" /> Refresh
        </button>
        <ColumnChoice {...choice} />
        <Downloads path={PATH} query={filter} formats={['csv']} />
        {may('jobs.write') && <Actions onChoice={setAction} />}
      </ScreenHead>
      <FilterBar fields={FIELDS}>
        <TimeRange usual="7d" />
      </FilterBar>
      <PagedTable label="Webhooks" columns={columns} keyOf={({ id }) => id} pages={pages} noun="webhook" opens={opens}>
        <Nothing isFiltered={Object.keys(picked).length > 0} />
      </PagedTable>
      {action === 'test' && <SendTest onClose={close} />}
      {action === 'replay' && <ReplayFailed filter={filter} onClose={close} onDone={pages.reload} />}
    </>
  )
}

function Actions({ onChoice }: { onChoice: (action: Action) => void }) {
  return (
    <>
      <button type="button" onClick={() => onChoice('test')}>
        Send a test…
      </button>
      <button type="button" onClick={() => onChoice('replay')}>
        Retry failed…
      </button>
    </>
  )
}

const TASK = {
  model: 'text/moderation/sandbox',
  input: { text: 'Hello, gatehouse!' },
  webhook_receiver: 'https://your-receiver.example/hook',
}

function Nothing({ isFiltered }: { isFiltered: boolean }) {
  if (isFiltered) return <Empty title="No webhooks match this filter">Remove a filter, or choose a longer time.</Empty>
  return (
    <Empty title="No webhooks in this time">
      <p>A job that names a receiver sends it a signed webhook when it ends:</p>
      <CodeBlock label="the command" text={callCommand(`${apiUrl()}/v3/universal-ai/async`, JSON.stringify(TASK))} />
    </Empty>
  )
}
