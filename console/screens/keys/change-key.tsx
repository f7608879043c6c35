import { useState } from 'preact/hooks'
import type { CreatedKey } from '../../../src/contract/admin/keys.ts'
import { pathTo, sendJson } from '../../api/client.ts'
import { Failure } from '../../parts/notice.tsx'
import { TwoSteps } from '../../parts/two-steps.tsx'
import { toast } from '../../parts/toast.tsx'
import { DAY_SECONDS } from '../../../src/base/units/units.ts'

const OVERLAPS = { 0: 'ends at once', 3600: 'works for an hour', 86400: 'works for a day', 604800: 'works for a week' }

/** Another secret for the same key. The old one may go on for a while, so that nothing fails meanwhile. */
export function RotateKey({ id, onRenewed }: { id: string; onRenewed: (key: CreatedKey) => void }) {
  const [overlap, setOverlap] = useState(DAY_SECONDS)
  const [error, setError] = useState<Error>()
  const rotate = () =>
    sendJson('POST', pathTo('/admin/keys/{id}/rotate', { id }), { overlap_seconds: overlap }).then(onRenewed, setError)
  return (
    <section>
      <h3>Another secret</h3>
      <div class="filters">
        <label>
          The old one
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
    </section>
  )
}

/** It cannot be undone, so it takes two steps. */
export function RevokeKey({ id, name, onChanged }: { id: string; name: string; onChanged: () => void }) {
  const [error, setError] = useState<Error>()
  const revoke = async () => {
    await sendJson('DELETE', pathTo('/admin/keys/{id}', { id })).then(() => {
      toast(`${name} is revoked. Other processes refuse it within five seconds.`)
      onChanged()
    }, setError)
  }
  return (
    <section>
      <h3>Revoke</h3>
      <p class="faint">Calls with this key are refused from now on. This cannot be undone.</p>
      <Failure error={error} />
      <TwoSteps label="Revoke this key" sure="Revoke it for good" onSure={() => void revoke()} />
    </section>
  )
}
