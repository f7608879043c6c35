import type { Alert, AlertRules } from '../../../src/contract/admin/alerts.ts'
import { count, moment, share, shortMoment } from '../../parts/format.ts'
import type { Column } from '../../parts/table/column.ts'
import { Acknowledge } from './acknowledge.tsx'

/** From the least. */
const SEVERITIES: readonly string[] = ['info', 'warning', 'critical']

export function columnsFor(
  rules: AlertRules['rules'] = [],
  people: ReadonlyMap<string, string>,
  projectName: (id: string) => string,
  onChanged: () => void,
): readonly Column<Alert>[] {
  const titles = new Map<string, string>(rules.map(({ id, title }) => [id, title]))
  const ruleOf = ({ rule }: Alert) => titles.get(rule) ?? rule
  return [
    {
      name: 'summary',
      title: 'Alert',
      isMain: true,
      sort: ({ summary }) => summary,
      cell: ({ summary }) => <span class="wrapped">{summary}</span>,
    },
    { name: 'state', title: 'State', sort: ({ state }) => state, cell: (alert) => <State of={alert} /> },
    {
      name: 'severity',
      title: 'Severity',
      sort: ({ severity }) => SEVERITIES.indexOf(severity),
      cell: ({ severity }) => <Severity of={severity} />,
    },
    { name: 'rule', title: 'Rule', isMinor: true, sort: ruleOf, cell: ruleOf },
    {
      name: 'project',
      title: 'Project',
      isMinor: true,
      sort: ({ project }) => project,
      cell: ({ project }) => (project === null ? '' : projectName(project)),
    },
    {
      name: 'opened',
      title: 'Opened',
      sort: ({ opened_at: at }) => at,
      cell: ({ opened_at }) => shortMoment(opened_at),
      tip: ({ opened_at }) => moment(opened_at),
    },
    {
      name: 'resolved',
      title: 'Resolved',
      isMinor: true,
      tip: ({ resolved_at: at }) => (at ? moment(at) : ''),
      cell: ({ resolved_at: at }) => (at ? shortMoment(at) : ''),
    },
    {
      name: 'acknowledged',
      title: 'Acknowledged by',
      isControl: true,
      cell: (alert) => <Acknowledge of={alert} people={people} onDone={onChanged} />,
    },
    { name: 'value', title: 'Value', isExtra: true, isNumber: true, cell: ({ value }) => amount(value) },
    {
      name: 'threshold',
      title: 'Threshold',
      isExtra: true,
      isNumber: true,
      cell: ({ threshold }) => amount(threshold),
    },
  ]
}

/** Fractions are parts of something. */
export function amount(value: number | null): string {
  return value !== null && value > 0 && value < 1 ? share(value) : count(value)
}

function State({ of: { state } }: { of: Alert }) {
  if (state === 'open') return <span class="status bad">open</span>
  return state === 'resolved' ? <span class="faint">resolved</span> : <span class="status warn">pending</span>
}

export function Severity({ of: severity }: { of: Alert['severity'] }) {
  const look = severity === 'info' ? '' : severity === 'warning' ? 'warn' : 'bad'
  return <span class={`status ${look}`}>{severity}</span>
}
