import type { AgentSessionRecord } from '../../../src/contract/admin/agent-sessions.ts'
import { pathTo, pathWith } from '../../api/client.ts'
import { useAnswer } from '../../api/use-answer.ts'
import { CopyButton } from '../../parts/code-block.tsx'
import { Dialog } from '../../parts/dialog.tsx'
import { Facts } from '../../parts/facts.tsx'
import { count, duration, moment, money, plural } from '../../parts/format.ts'
import { Failure, Loading } from '../../parts/notice.tsx'
import { TokensLegend } from '../../parts/tokens-bar.tsx'
import { usePeople } from '../../parts/use-names.ts'
import { useQuery } from '../../parts/use-query.ts'
import { lengthOf } from './columns.tsx'
import { SessionLimits } from './session-limits.tsx'
import { Turns } from './turns.tsx'

/** One session of an agent: what it cost, with which models, turn by turn. */
export function SessionDetail({ id }: { id: string }) {
  const { change } = useQuery()
  const path = pathTo('/admin/agent-sessions/{agent_session}', { agent_session: id })
  const { value, error, reload } = useAnswer(path)
  return (
    <Dialog title="Agent session" isDrawer onClose={() => change({ open: undefined })}>
      <Failure error={error} onRetry={reload} />
      {value ? <Parts session={value} onChanged={reload} /> : !error && <Loading what="the session" />}
    </Dialog>
  )
}

function Parts({ session, onChanged }: { session: AgentSessionRecord; onChanged: () => void }) {
  const { session: name, key, user } = session
  const userName = usePeople().get(`user:${user}`)
  const calls = { session: name, key, last: '30d' }
  return (
    <>
      <p class="id-line">
        <code>{name}</code> <CopyButton text={name} what="the session id" />
      </p>
      <Facts of={factsOf(session, userName)} />
      <p class="links-line">
        <a href={pathWith('/requests', calls)}>View requests</a>
        <a href={pathWith('/usage', { ...calls, group: 'model' })}>View usage</a>
        {user && <a href={pathWith('/agent-sessions', { user, last: '30d' })}>View sessions of this user</a>}
      </p>
      <SessionLimits session={session} onChanged={onChanged} />
      <h3>Tokens</h3>
      <TokensLegend tokens={session} />
      <h3>Requests</h3>
      <Turns session={session} />
    </>
  )
}

function factsOf(session: AgentSessionRecord, userName: string | undefined) {
  const { requests, failed_requests: failed, unpriced_requests: unpriced } = session
  return {
    Program: session.client,
    Cost:
      unpriced > 0
        ? `${money(session.cost)}, without ${plural(unpriced, 'request')} of unknown price`
        : money(session.cost),
    Requests: failed > 0 ? `${count(requests)}, of which ${count(failed)} failed` : count(requests),
    Models: session.models.join(', '),
    Key: session.key_name ?? session.key,
    Project: session.project_name ?? session.project,
    User: userName ?? session.user,
    'First request': moment(session.first_at),
    'Last request': moment(session.last_at),
    Duration: duration(lengthOf(session)),
  }
}
