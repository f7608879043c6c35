import type { LimitBody } from '../../../src/contract/admin/limits.ts'
import { pathTo, sendJson } from '../../api/client.ts'
import { useSend } from '../../api/use-send.ts'
import { limitAmount } from '../../parts/limit-amounts.ts'
import { Failure } from '../../parts/notice.tsx'
import { toast } from '../../parts/toast.tsx'
import { TwoSteps } from '../../parts/two-steps.tsx'
import { Increase } from './increase.tsx'
import type { LimitKind } from './kinds.ts'

type Props = { kind: LimitKind; limit: LimitBody; onEdit: () => void; onChanged: () => void; onRemoved: () => void }

/** What the config file says can only be changed there. What was counted can be taken back in any case. */
export function ChangeLimit({ kind, limit, onEdit, onChanged, onRemoved }: Props) {
  if (limit.owned_by === 'file')
    return (
      <>
        <p class="notice">
          This {kind.word} is in the config file, so it cannot be changed here. Change it in the file, then reload the
          configuration.
        </p>
        <Account kind={kind} limit={limit} onChanged={onChanged} />
      </>
    )
  return (
    <>
      <Increase kind={kind} limit={limit} onChanged={onChanged} />
      <Account kind={kind} limit={limit} onChanged={onChanged} />
      <section>
        <h3>Change it</h3>
        <div class="actions">
          <button type="button" onClick={onEdit}>
            Edit
          </button>
          <Delete kind={kind} id={limit.id} onRemoved={onRemoved} />
        </div>
      </section>
    </>
  )
}

function Delete({ kind, id, onRemoved }: { kind: LimitKind; id: string; onRemoved: () => void }) {
  const { error, send } = useSend()
  const remove = () =>
    send(async () => {
      await sendJson('DELETE', pathTo(`${kind.path}/{limit_id}`, { limit_id: id }))
      toast(`${id} is deleted.`)
      onRemoved()
    })
  return (
    <>
      <TwoSteps label="Delete" sure="Delete it for good" onSure={() => void remove()} />
      <Failure error={error} />
    </>
  )
}

/** What was spent in the open window, and what processes held that died. */
function Account({ kind, limit, onChanged }: { kind: LimitKind; limit: LimitBody; onChanged: () => void }) {
  const { error, send } = useSend()
  const { spent, lost, unit } = limit
  const post = (action: 'reset' | 'release', text: string) =>
    void send(async () => {
      await sendJson('POST', pathTo(`${kind.path}/{limit_id}/${action}`, { limit_id: limit.id }))
      toast(text)
      onChanged()
    })
  if (spent === 0 && lost === 0) return null
  return (
    <section>
      <h3>What was counted</h3>
      <div class="actions">
        {spent > 0 && (
          <TwoSteps
            label="Reset"
            sure={`Take ${limitAmount(unit, spent)} off its account`}
            onSure={() => post('reset', 'The open window begins at zero again.')}
          />
        )}
        {lost > 0 && (
          <TwoSteps
            label="Release what was lost"
            sure={`Free ${limitAmount(unit, lost)}`}
            onSure={() => post('release', 'What processes held that died is free again.')}
          />
        )}
      </div>
      <Failure error={error} />
    </section>
  )
}
