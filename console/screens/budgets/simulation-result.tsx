import type { LimitBody } from '../../../src/contract/admin/limits.ts'
import type { Simulation } from '../../../src/contract/admin/simulation.ts'
import { pathWith } from '../../api/client.ts'
import { count, moment, plural, shortMoment } from '../../parts/format.ts'
import { limitAmount } from '../../parts/limit-amounts.ts'
import type { Column } from '../../parts/table/column.ts'
import { Table } from '../../parts/table/table.tsx'

type Counts = Pick<Simulation, 'requests' | 'clamped' | 'refused' | 'unpriced'>
type Props = { result: Simulation; unit: LimitBody['unit'] }

const COUNTS: readonly Column<Counts>[] = [
  { name: 'requests', title: 'Requests', isNumber: true, cell: ({ requests }) => count(requests) },
  { name: 'refused', title: 'Refused', isNumber: true, cell: ({ refused, unpriced }) => count(refused + unpriced) },
  { name: 'clamped', title: 'Shortened', isNumber: true, cell: ({ clamped }) => count(clamped) },
]

export function SimulationResult({ result, unit }: Props) {
  const isFelt = result.refused + result.clamped + result.unpriced > 0
  return (
    <>
      <Verdict result={result} unit={unit} />
      {isFelt && <WhoAndWhen result={result} />}
      {isFelt && <Examples result={result} unit={unit} />}
    </>
  )
}

function Verdict({ result, unit }: Props) {
  const { requests, refused, clamped, unpriced, used, peak, is_complete: isComplete } = result
  return (
    <>
      <p>
        Of <b>{plural(requests, 'request')}</b> since {moment(result.from)}, <b>{count(refused + unpriced)}</b> would
        have been refused{unpriced > 0 && ` (${count(unpriced)} because their price is unknown)`} and{' '}
        <b>{count(clamped)}</b> shortened. Total use: {limitAmount(unit, used)}.
      </p>
      {peak && (
        <p>
          The highest use in one period was {limitAmount(unit, peak.wanted)}
          {peak.window_start && `, from ${moment(peak.window_start)}`}. With that limit, nothing would have been
          refused.
        </p>
      )}
      {!isComplete && (
        <p>
          This simulation does not cover all of the period: some requests were deleted, or there are too many of them.
        </p>
      )}
    </>
  )
}

function WhoAndWhen({ result: { top, days } }: { result: Simulation }) {
  const who: Column<Simulation['top'][number]> = {
    name: 'who',
    title: 'Name',
    cell: ({ id, name }) => name ?? (id || 'none'),
  }
  const day: Column<Simulation['days'][number]> = { name: 'day', title: 'Day', cell: (one) => one.day }
  return (
    <>
      <h3>Affected</h3>
      <Table label="Affected" columns={[who, ...COUNTS]} rows={top} keyOf={({ id }) => id} />
      <details>
        <summary>Affected days: {days.length}</summary>
        <Table label="Days" columns={[day, ...COUNTS]} rows={days} keyOf={(one) => one.day} />
      </details>
    </>
  )
}

function Examples({ result: { examples }, unit }: Props) {
  const columns: readonly Column<Simulation['examples'][number]>[] = [
    {
      name: 'at',
      title: 'Request',
      cell: ({ at, request_id }) => <a href={pathWith('/requests', { call: request_id })}>{shortMoment(at)}</a>,
    },
    { name: 'model', title: 'Model', cell: ({ model }) => model },
    { name: 'outcome', title: 'Outcome', cell: ({ outcome }) => outcome },
    { name: 'needed', title: 'Needed', isNumber: true, cell: ({ needed }) => limitAmount(unit, needed) },
    { name: 'left', title: 'Left', isNumber: true, cell: ({ left }) => limitAmount(unit, left) },
  ]
  return (
    <details>
      <summary>First affected requests</summary>
      <Table label="Affected requests" columns={columns} rows={examples} keyOf={({ request_id }) => request_id} />
    </details>
  )
}
