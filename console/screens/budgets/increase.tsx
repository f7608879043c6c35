import { useState } from 'preact/hooks'
import type { LimitBody } from '../../../src/contract/admin/limits.ts'
import { pathTo, sendJson } from '../../api/client.ts'
import { useSend } from '../../api/use-send.ts'
import { SelectField, TextField } from '../../parts/fields.tsx'
import { moment } from '../../parts/format.ts'
import { limitAmount } from '../../parts/limit-amounts.ts'
import { Failure } from '../../parts/notice.tsx'
import { toast } from '../../parts/toast.tsx'
import { HOUR_MS } from '../../../src/base/units/units.ts'
import type { LimitKind } from './kinds.ts'

const ENDS = { '1': '1 hour', '24': '1 day', '168': '1 week', '720': '30 days' }

type Props = { kind: LimitKind; limit: LimitBody; onChanged: () => void }

/** A temporary increase, which no person can forget to take back. */
export function Increase({ kind, limit, onChanged }: Props) {
  const { unit, increase, effective_limit } = limit
  const { error, send } = useSend()
  const change = (wanted: LimitBody['increase'] | null) =>
    void send(async () => {
      await sendJson('PATCH', pathTo(`${kind.path}/{limit_id}`, { limit_id: limit.id }), { increase: wanted })
      toast(wanted ? `Increased until ${moment(wanted.until)}.` : 'The increase has ended.')
      onChanged()
    })
  return (
    <>
      {increase && effective_limit > limit.limit ? (
        <div class="actions">
          <span>
            {limitAmount(unit, increase.amount)} more until {moment(increase.until)}.
          </span>
          <button type="button" onClick={() => change(null)}>
            End now
          </button>
        </div>
      ) : (
        <Raise limit={limit} onRaise={change} />
      )}
      <Failure error={error} />
    </>
  )
}

type RaiseProps = { limit: LimitBody; onRaise: (increase: NonNullable<LimitBody['increase']>) => void }

function Raise({ limit: { limit, unit }, onRaise }: RaiseProps) {
  const [amount, setAmount] = useState(String(limit / 2))
  const [hours, setHours] = useState<keyof typeof ENDS>('24')
  const raise = (event: SubmitEvent) => {
    event.preventDefault()
    onRaise({ amount: Number(amount), until: new Date(Date.now() + Number(hours) * HOUR_MS).toISOString() })
  }
  return (
    <form class="filters" onSubmit={raise}>
      <TextField
        {...{ label: unit === 'usd' ? 'Amount, USD' : 'Amount', type: 'number', isRequired: true }}
        {...{ value: amount, set: setAmount }}
      />
      <SelectField label="For" value={hours} set={setHours} choices={ENDS} />
      <button type="submit">Increase</button>
    </form>
  )
}
