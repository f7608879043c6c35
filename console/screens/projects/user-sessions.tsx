import { pathWith } from '../../api/client.ts'
import { useAnswer } from '../../api/use-answer.ts'
import { compact, money, shortMoment } from '../../parts/format.ts'
import { Failure, Loading } from '../../parts/notice.tsx'

const SHOWN = 5

/** The latest sessions of a person's agents, and where the others are. */
export function UserSessions({ id }: { id: string }) {
  const { value, error, reload } = useAnswer('/admin/agent-sessions', { user: id, limit: SHOWN })
  return (
    <section>
      <h3>Agent sessions</h3>
      <Failure error={error} onRetry={reload} />
      {!value && !error && <Loading what="sessions" />}
      {value?.items.length === 0 && <p class="faint">None in the last 30 days.</p>}
      <ul>
        {value?.items.map(({ id: open, session, client, last_at: at, requests, cost }) => (
          <li key={open}>
            <a class="leading-link" href={pathWith('/agent-sessions', { user: id, last: '30d', open })}>
              {session}
            </a>{' '}
            {client} · {compact(requests)} requests · {money(cost)} · {shortMoment(at)}
          </li>
        ))}
      </ul>
      <p class="links-line">
        <a href={pathWith('/agent-sessions', { user: id, last: '30d' })}>All sessions</a>
        <a href={pathWith('/usage', { user: id, last: '30d', group: 'client' })}>Usage by program</a>
        <a href={pathWith('/usage', { user: id, last: '30d', group: 'session' })}>Usage by session</a>
      </p>
    </section>
  )
}
