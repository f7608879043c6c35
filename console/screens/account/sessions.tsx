import type { SessionList } from '../../../src/contract/admin/own-account.ts'
import { pathTo, sendJson } from '../../api/client.ts'
import { useAnswer } from '../../api/use-answer.ts'
import { useSend } from '../../api/use-send.ts'
import { browserName } from '../../parts/browser-name.ts'
import { moment } from '../../parts/format.ts'
import { Failure, Loading } from '../../parts/notice.tsx'
import { toast } from '../../parts/toast.tsx'
import { TwoSteps } from '../../parts/two-steps.tsx'

type Session = SessionList['items'][number]

/** Where the person is signed in. One that is not theirs can be ended here. */
export function Sessions() {
  const { value, error, reload } = useAnswer('/admin/sessions')
  const { error: refused, send } = useSend()
  const end = (id: string) =>
    void send(async () => {
      await sendJson('DELETE', pathTo('/admin/sessions/{id}', { id }))
      toast('Session ended.')
      reload()
    })
  return (
    <section class="panel">
      <h2>Sessions</h2>
      <Failure error={error ?? refused} onRetry={reload} />
      {!value && !error && <Loading what="your sessions" />}
      <ul class="sessions">
        {value?.items.map((session) => (
          <li key={session.id}>
            <SessionText of={session} />
            {!session.current && <TwoSteps label="End" sure="End session" onSure={() => end(session.id)} />}
          </li>
        ))}
      </ul>
    </section>
  )
}

function SessionText({ of: { current, via, ip, agent, created_at: created, idle_at: idle } }: { of: Session }) {
  return (
    <span>
      <b title={agent ?? undefined}>{browserName(agent)}</b>
      {current && <span class="badge">this session</span>}
      <br />
      <small>
        {ip ?? 'Unknown address'} · signed in {moment(created)} with{' '}
        {via === 'sso' ? 'an identity provider' : 'a password'} · expires {moment(idle)} if unused
      </small>
    </span>
  )
}
