import type { ConfigReport } from '../../../src/contract/admin/config.ts'
import { may } from '../../api/session.ts'
import { useAnswer } from '../../api/use-answer.ts'
import { Facts } from '../../parts/facts.tsx'
import { FilterBar, type FilterField } from '../../parts/filters/filter-bar.tsx'
import { moment, plural } from '../../parts/format.ts'
import { Empty, Failure, Loading } from '../../parts/notice.tsx'
import { ScreenHead } from '../../parts/screen-head.tsx'
import { Table } from '../../parts/table/table.tsx'
import { type Texts, useQuery } from '../../parts/use-query.ts'
import { LogLevelChoice } from './log-level.tsx'
import { Processes } from './processes.tsx'
import { Reload } from './reload.tsx'
import { type ConfigValue, COLUMNS, ORIGINS, valueText } from './values.tsx'

const FIELDS: readonly FilterField[] = [
  { name: 'name', label: 'Name or value', placeholder: 'LOG_LEVEL' },
  { name: 'origin', label: 'Origin', choices: ORIGINS },
  { name: 'restart', label: 'Pending restart', choices: { true: 'Yes' } },
]

/** Every value that the gateway runs with, and where it comes from. Secrets are masked by the gateway. */
export default function Settings() {
  const { value, error, reload } = useAnswer('/admin/config')
  return (
    <>
      <ScreenHead title="Settings">{may('config.write') && <Reload onReloaded={reload} />}</ScreenHead>
      <Failure error={error} onRetry={reload} />
      {!value && !error && <Loading what="the settings" />}
      {value && <Parts report={value} onChanged={reload} />}
    </>
  )
}

function Parts({ report, onChanged }: { report: ConfigReport; onChanged: () => void }) {
  const { query } = useQuery()
  const shown = report.values.filter((value) => passes(value, query))
  return (
    <>
      <div class="columns">
        <section class="panel">
          <h2>This process</h2>
          <Facts
            of={{
              Process: report.process,
              File: report.file ?? 'none',
              Loaded: moment(report.loaded_at),
            }}
          />
          <LogLevelChoice level={report.log_level} onChanged={onChanged} />
        </section>
        <Processes report={report} />
      </div>
      <FilterBar fields={FIELDS} />
      {shown.length > 0 && <Table label="Settings" columns={COLUMNS} rows={shown} keyOf={({ name }) => name} />}
      {shown.length === 0 && <Empty title="No settings match this filter">Remove a filter to see more.</Empty>}
      <footer class="table-foot">
        <span role="status">
          {shown.length} of {plural(report.values.length, 'setting')}
        </span>
      </footer>
    </>
  )
}

function passes(value: ConfigValue, { name, origin, restart }: Texts): boolean {
  const text = `${value.name} ${value.variable ?? ''} ${valueText(value.value)}`.toLowerCase()
  return (
    (!name || text.includes(name.toLowerCase())) &&
    (!origin || value.origin === origin) &&
    (!restart || value.pending !== undefined)
  )
}
