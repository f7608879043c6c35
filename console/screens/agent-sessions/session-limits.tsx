import type { AgentSessionRecord } from '../../../src/contract/admin/agent-sessions.ts'
import { sendJson } from '../../api/client.ts'
import { may } from '../../api/session.ts'
import { useSend } from '../../api/use-send.ts'
import { moment } from '../../parts/format.ts'
import { LimitBar } from '../../parts/limit-bar.tsx'
import { Failure } from '../../parts/notice.tsx'
import { toast } from '../../parts/toast.tsx'
import { TwoSteps } from '../../parts/two-steps.tsx'

type Props = { session: AgentSessionRecord; onChanged: () => void }

/** What the session has used of limits per session. Who may change a limit may lift it for this session. */
export function SessionLimits({ session, onChanged }: Props) {
  const { error, send } = useSend()
  if (session.limits.length === 0) return null
  const lift = (limit_id: string) =>
    send(async () => {
      await sendJson('POST', '/admin/agent-sessions/lift', { id: session.id, limit_id })
      toast('Limit reset for this session.')
      onChanged()
    })
  return (
    <section>
      <h3>Limits of this session</h3>
      <Failure error={error} />
      {session.limits.map((limit) => (
        <div key={limit.limit_id}>
          <p>
            <code>{limit.limit_id}</code> <LimitBar limit={{ ...limit, effective_limit: limit.limit }} />
          </p>
          <p class="faint">Resets at {moment(limit.idle_at)} if the session sends no request until then.</p>
          {may('limits.write') && (
            <TwoSteps
              label="Reset for this session"
              sure="Reset to zero"
              isHarmless
              onSure={() => lift(limit.limit_id)}
            />
          )}
        </div>
      ))}
    </section>
  )
}
