import { useState } from 'preact/hooks'
import type { CreatedKey } from '../../../src/contract/admin/keys.ts'
import { pathTo, sendJson } from '../../api/client.ts'
import { ConfirmStep } from '../../parts/confirm-step.tsx'
import { Failure } from '../../parts/notice.tsx'
import { toast } from '../../parts/toast.tsx'
import { DAY_SECONDS } from '../../../src/base/units/units.ts'

const OVERLAPS = {
  0: 'Stops working immediately',
  3600: 'Works for another hour',
  86400: 'Works for another day',
  604800: 'Works for another week',
}

/** Another secret for the same key. The old one may go on for a while, so that nothing fails meanwhile. */
export function RotateKey({ id, onRenewed }: { id: string; onRenewed: (key: CreatedKey) => void }) {
  const [overlap, setOverlap] = useState(DAY_SECONDS)
  const [error, setError] = useState<Error>()
  const rotate = () =>
    sendJson('POST', pathTo('/admin/keys/{id}/rotate', { id }), { overlap_seconds: overlap }).then(onRenewed, setError)
  return (
    <>
      <div class="filters">
        <label>
          Old secret
          <select value={overlap} onChange={(event) => setOverlap(Number(event.currentTarget.value))}>
            {Object.entries(OVERLAPS).map(([seconds, title]) => (
              <option key={seconds} value={seconds}>
                {title}
              </option>
            ))}
          </select>
        </label>
        <button type="button" onClick={rotate}>
          Rotate
        </button>
      </div>
      <Failure error={error} />
    </>
  )
}

/** The second step: the first one has opened it. */
export function RevokeKey({ id, name, onChanged }: { id: string; name: string; onChanged: () => void }) {
  const [error, setError] = useState<Error>()
  const revoke = async () => {
    await sendJson('DELETE', pathTo('/admin/keys/{id}', { id })).then(() => {
      toast(`${name} is revoked. All processes refuse it within five seconds.`)
      onChanged()
    }, setError)
  }
  return (
    <>
      <Failure error={error} />
      <ConfirmStep
        text="Requests with this key are refused from now on. This cannot be undone."
        sure="Revoke key"
        onSure={() => void revoke()}
      />
    </>
  )
}
