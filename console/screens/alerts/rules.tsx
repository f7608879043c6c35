import type { AlertRules } from '../../../src/contract/admin/alerts.ts'
import { useAnswer } from '../../api/use-answer.ts'
import { CodeBlock } from '../../parts/code-block.tsx'
import { roughly } from '../../parts/format.ts'
import { Empty, Failure, Loading } from '../../parts/notice.tsx'
import type { Column } from '../../parts/table/column.ts'
import { Table } from '../../parts/table/table.tsx'
import { amount, Severity } from './columns.tsx'
import { TestReceiver } from './test-receiver.tsx'

type Rule = AlertRules['rules'][number]
type Receiver = AlertRules['receivers'][number]

/** Both are in the config file, so they are shown here and changed there. */
export function Rules() {
  const { value, error, reload } = useAnswer('/admin/alerts/rules')
  return (
    <>
      <Failure error={error} onRetry={reload} />
      {!value && !error && <Loading what="rules" />}
      {value && <Receivers of={value.receivers} />}
      {value && (
        <section>
          <header class="section-head">
            <h2>Rules</h2>
            <small>Change thresholds, times and severities in the config file, under alerts.rules.</small>
          </header>
          <Table label="Rules" columns={RULE_COLUMNS} rows={value.rules} keyOf={({ id }) => id} />
        </section>
      )}
    </>
  )
}

const RULE_COLUMNS: readonly Column<Rule>[] = [
  { name: 'title', title: 'Rule', cell: ({ title }) => title },
  { name: 'on', title: 'State', cell: ({ on }) => (on ? <span class="status good">on</span> : 'off') },
  { name: 'severity', title: 'Severity', cell: ({ severity }) => <Severity of={severity} /> },
  {
    name: 'threshold',
    title: 'Threshold',
    isNumber: true,
    cell: ({ threshold }) => (threshold === null ? 'set per limit' : amount(threshold)),
  },
  { name: 'for', title: 'Fires after', isMinor: true, cell: ({ for_seconds: seconds }) => lasting(seconds) },
  { name: 'clear', title: 'Resolves after', isMinor: true, cell: ({ clear_seconds: seconds }) => lasting(seconds) },
  {
    name: 'about',
    title: 'Watches',
    isMain: true,
    cell: ({ about }) => <span class="wrapped">{about.replaceAll('`', '')}</span>,
  },
]

function lasting(seconds: number): string {
  return seconds === 0 ? 'immediately' : roughly(seconds * 1_000)
}

function Receivers({ of: receivers }: { of: readonly Receiver[] }) {
  return (
    <section>
      <header class="section-head">
        <h2>Receivers</h2>
      </header>
      {receivers.length === 0 ? (
        <NoReceivers />
      ) : (
        <Table label="Receivers" columns={RECEIVER_COLUMNS} rows={receivers} keyOf={({ name }) => name} />
      )}
    </section>
  )
}

const RECEIVER_COLUMNS: readonly Column<Receiver>[] = [
  { name: 'name', title: 'Name', cell: ({ name }) => name },
  { name: 'format', title: 'Format', cell: ({ format }) => format },
  { name: 'url', title: 'Address', cell: ({ url }) => url },
  { name: 'rules', title: 'Rules', cell: ({ rules }) => rules?.join(', ') ?? 'all rules' },
  { name: 'checkpoints', title: 'Audit checkpoints', cell: ({ checkpoints }) => (checkpoints ? 'yes' : 'no') },
  { name: 'test', title: 'Test', cell: ({ name }) => <TestReceiver name={name} /> },
]

const EXAMPLE = { alerts: { receivers: [{ name: 'team', format: 'slack', urlEnv: 'SLACK_URL' }] } }

function NoReceivers() {
  return (
    <Empty title="No receivers yet">
      <p>
        Alerts are only listed here. To get them in Slack, Teams, PagerDuty or by webhook, add a receiver to the config
        file:
      </p>
      <CodeBlock label="the part of the config file" text={JSON.stringify(EXAMPLE, null, 2)} />
    </Empty>
  )
}
