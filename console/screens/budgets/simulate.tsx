import { useState } from 'preact/hooks'
import type { CreateLimitRequest, LimitBody } from '../../../src/contract/admin/limits.ts'
import type { Simulation } from '../../../src/contract/admin/simulation.ts'
import { sendJson } from '../../api/client.ts'
import { useSend } from '../../api/use-send.ts'
import { SelectField } from '../../parts/fields.tsx'
import { Failure } from '../../parts/notice.tsx'
import type { LimitKind } from './kinds.ts'
import { SimulationResult } from './simulation-result.tsx'

const DAYS = { '1': 'Last day', '7': 'Last 7 days', '30': 'Last 30 days', '90': 'Last 90 days' }

type Props = {
  path: LimitKind['path']
  unit: LimitBody['unit']
  /** The limit as it is planned at this moment. */
  request: () => CreateLimitRequest
  /** Whether it says enough for a replay. */
  isReady?: boolean
}

/** Replays the past against a limit, so that an operator sees its effect before callers do. Nothing is changed. */
export function Simulate({ path, unit, request, isReady = true }: Props) {
  const [days, setDays] = useState<keyof typeof DAYS>('30')
  const [result, setResult] = useState<Simulation>()
  const { error, isSending, send } = useSend()
  const run = () =>
    send(async () =>
      setResult(await sendJson('POST', `${path}/simulate` as const, { ...request(), days: Number(days) })),
    )
  return (
    <section class="preview" aria-label="Impact on past traffic" aria-live="polite">
      <div class="filters">
        <SelectField label="Past traffic" value={days} set={setDays} choices={DAYS} />
        <button type="button" onClick={() => void run()} disabled={isSending || !isReady}>
          {isSending ? 'Replaying…' : 'Preview impact'}
        </button>
      </div>
      <Failure error={error} />
      {result && <SimulationResult result={result} unit={unit} />}
    </section>
  )
}
