import { useMemo } from 'preact/hooks'
import type { AlertRules } from '../../../src/contract/admin/alerts.ts'
import { useAnswer } from '../../api/use-answer.ts'
import { usePeople, useProjectNames } from '../../parts/use-names.ts'
import { usePages } from '../../api/use-pages.ts'
import { ColumnChoice, useColumns } from '../../parts/table/column-choice.tsx'
import { type FilterField, FilterBar } from '../../parts/filters/filter-bar.tsx'
import { Downloads } from '../../parts/downloads.tsx'
import { Empty } from '../../parts/notice.tsx'
import type { Opens } from '../../parts/table/open-row.tsx'
import { PagedTable } from '../../parts/table/paged-table.tsx'
import { TimeRange, useSpan } from '../../parts/time-range.tsx'
import { pick, useQuery } from '../../parts/use-query.ts'
import { AlertDetail } from './alert-detail.tsx'
import { columnsFor } from './columns.tsx'

const STATES = { open: 'Open', resolved: 'Resolved', pending: 'Pending' }

/** Open and past ones, newest first. */
export function AlertList() {
  const { query } = useQuery()
  const rules = useAnswer('/admin/alerts/rules').value?.rules
  const picked = pick(query, ['state', 'rule', 'project'])
  const filter = { ...useSpan(query, '30d'), ...picked }
  const pages = usePages('/admin/alerts', filter)
  const people = usePeople()
  const projectName = useProjectNames()
  const { reload } = pages
  const all = useMemo(() => columnsFor(rules, people, projectName, reload), [rules, people, projectName, reload])
  const { columns, ...choice } = useColumns('alerts', all)
  const show = (wanted: string) => {
    const found = pages.items.find(({ id }) => id === wanted)
    return found && <AlertDetail of={found} columns={all} />
  }
  const opens: Opens = { as: 'alert', show }
  return (
    <>
      <div class="section-head">
        <FilterBar fields={fieldsFor(rules)}>
          <TimeRange usual="30d" />
        </FilterBar>
        <div class="actions">
          <ColumnChoice {...choice} />
          <Downloads path="/admin/alerts" query={filter} formats={['csv']} />
        </div>
      </div>
      <PagedTable label="Alerts" columns={columns} keyOf={({ id }) => id} pages={pages} noun="alert" opens={opens}>
        <NoAlerts isFiltered={Object.keys(picked).length > 0} />
      </PagedTable>
    </>
  )
}

function fieldsFor(rules: AlertRules['rules'] = []): readonly FilterField[] {
  const titles = Object.fromEntries(rules.map(({ id, title }) => [id, title]))
  return [
    { name: 'state', label: 'State', choices: STATES },
    { name: 'rule', label: 'Rule', choices: titles },
    { name: 'project', label: 'Project', from: 'project', placeholder: 'Name of a project' },
  ]
}

function NoAlerts({ isFiltered }: { isFiltered: boolean }) {
  if (isFiltered) return <Empty title="No alerts match this filter">Remove a filter, or choose a longer time.</Empty>
  return (
    <Empty title="No alerts in this time">
      <p>
        The gateway watches errors, providers, budgets, jobs and more. The config file says who gets the alerts:{' '}
        <a href="/alerts?view=rules">rules and receivers</a>.
      </p>
    </Empty>
  )
}
