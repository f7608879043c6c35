import { useState } from 'preact/hooks'
import type { GuardrailReport } from '../../../src/contract/admin/guardrails.ts'
import { DAY_MS } from '../../../src/base/units/units.ts'
import { pathTo, pathWith } from '../../api/client.ts'
import { may } from '../../api/session.ts'
import { useAnswer } from '../../api/use-answer.ts'
import { count, moment } from '../../parts/format.ts'
import { Failure, Loading } from '../../parts/notice.tsx'
import type { Column } from '../../parts/table/column.ts'
import { Table } from '../../parts/table/table.tsx'
import { checkTitle } from './examples.ts'

type Day = GuardrailReport['days'][number]
type Found = GuardrailReport['found'][number]

const DAYS = 14
const OUTCOMES = ['flagged', 'redacted', 'blocked', 'would_redact', 'would_block', 'unscanned'] as const

const FOUND: readonly Column<Found>[] = [
  {
    name: 'rule',
    title: 'Finding',
    isMain: true,
    cell: ({ check, rule }) => `${check === null ? 'Not scanned' : checkTitle(check)}: ${rule}`,
  },
  { name: 'outcome', title: 'Outcome', cell: ({ outcome }) => words(outcome) },
  { name: 'calls', title: 'Calls', isNumber: true, cell: ({ calls }) => count(calls) },
]

/** What it did in the last days, or would have done. */
export function Report({ id }: { id: string }) {
  const [from] = useState(() => new Date(Date.now() - DAYS * DAY_MS).toISOString())
  const path = pathTo('/admin/guardrails/{guardrail_id}/report', { guardrail_id: id })
  const { value: report, error, reload } = useAnswer(path, { from })
  return (
    <section class="stack" aria-label="Report">
      <h3>Last {DAYS} days</h3>
      <Failure error={error} onRetry={reload} />
      {!report && !error && <Loading what="the report" />}
      {report && <Shown report={report} />}
    </section>
  )
}

function Shown({ report }: { report: GuardrailReport }) {
  const { guardrail, days, found, from, is_complete: isComplete } = report
  const calls = days.reduce((sum, day) => sum + day.calls, 0)
  if (calls === 0) return <p class="faint">It has checked no calls.</p>
  const seen = OUTCOMES.filter((outcome) => days.some((day) => day[outcome] > 0))
  return (
    <>
      <p>
        <b>{count(calls)}</b> {calls === 1 ? 'call' : 'calls'} checked{seen.length === 0 && ', nothing found'}.{' '}
        {seen.length > 0 && may('usage.read') && (
          <a href={pathWith('/requests', { guardrail, last: '30d' })}>View requests with findings</a>
        )}
      </p>
      {!isComplete && (
        <p class="faint">
          Only calls since {moment(from)}: there are too many earlier ones, or they are no longer stored.
        </p>
      )}
      {found.length > 0 && (
        <Table
          {...{ label: 'Findings', columns: FOUND, rows: found }}
          keyOf={({ check, outcome, rule }) => `${check} ${outcome} ${rule}`}
        />
      )}
      <Table label="Calls by day" columns={columnsOf(seen)} rows={days.toReversed()} keyOf={({ day }) => day} />
    </>
  )
}

function columnsOf(outcomes: readonly (typeof OUTCOMES)[number][]): Column<Day>[] {
  return [
    { name: 'day', title: 'Day (UTC)', isMain: true, cell: ({ day }) => day },
    { name: 'calls', title: 'Calls', isNumber: true, cell: ({ calls }) => count(calls) },
    ...outcomes.map((name) => ({ name, title: titleOf(name), isNumber: true, cell: (day: Day) => count(day[name]) })),
  ]
}

function words(outcome: string): string {
  return outcome.replaceAll('_', ' ')
}

function titleOf(outcome: string): string {
  const text = words(outcome)
  return text.charAt(0).toUpperCase() + text.slice(1)
}
