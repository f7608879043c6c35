import type { ConfigReport } from '../../../src/contract/admin/config.ts'
import { moment, shortMoment } from '../../parts/format.ts'
import type { Column } from '../../parts/table/column.ts'
import { Table } from '../../parts/table/table.tsx'
import { valueText } from './values.tsx'

type ProcessState = ConfigReport['process_states'][number]
type Difference = { name: string; process: string; value: unknown }

const PROCESS_COLUMNS: readonly Column<ProcessState>[] = [
  { name: 'process', title: 'Process', cell: ({ process }) => process },
  { name: 'version', title: 'Version', isMinor: true, cell: ({ version }) => version ?? 'unknown' },
  { name: 'agrees', title: 'Same configuration', cell: (one) => <Agreement of={one} /> },
  {
    name: 'since',
    title: 'Since',
    isMinor: true,
    tip: ({ loaded_at: at }) => moment(at),
    cell: ({ loaded_at: at }) => shortMoment(at),
  },
]

const DIFFERENCE_COLUMNS: readonly Column<Difference>[] = [
  { name: 'name', title: 'Name', cell: ({ name }) => name },
  { name: 'process', title: 'Process', cell: ({ process }) => process },
  { name: 'value', title: 'Value', cell: ({ value }) => <code>{valueText(value)}</code> },
]

/** Whether all processes of the installation run with the same, and where they do not. */
export function Processes({ report: { process_states: states, differences } }: { report: ConfigReport }) {
  const rows = differences.flatMap(({ name, values }) => values.map((one) => ({ name, ...one })))
  return (
    <section class="panel">
      <h2>Processes</h2>
      <Table label="Processes" columns={PROCESS_COLUMNS} rows={states} keyOf={({ process }) => process} />
      {rows.length === 0 && <p class="faint">All processes have the same configuration.</p>}
      {rows.length > 0 && (
        <>
          <h3>Differences</h3>
          <p class="faint">Secrets are masked, so two different secrets may look the same.</p>
          <Table
            label="Differences"
            columns={DIFFERENCE_COLUMNS}
            rows={rows}
            keyOf={({ name, process }) => `${name} ${process}`}
          />
        </>
      )}
    </section>
  )
}

function Agreement({ of: { agrees, config_fingerprint: fingerprint } }: { of: ProcessState }) {
  return (
    <span class={`status ${agrees ? 'good' : 'bad'}`} title={`Fingerprint ${fingerprint}`}>
      {agrees ? 'yes' : 'no'}
    </span>
  )
}
