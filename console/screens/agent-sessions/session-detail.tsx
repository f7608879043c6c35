import type { AgentSessionRecord } from '../../../src/contract/admin/agent-sessions.ts'
import { pathTo, pathWith } from '../../api/client.ts'
import { useAnswer } from '../../api/use-answer.ts'
import { CopyButton } from '../../parts/code-block.tsx'
import { Dialog } from '../../parts/dialog.tsx'
import { Facts } from '../../parts/facts.tsx'
import { count, moment, money, roughly } from '../../parts/format.ts'
import { Failure, Loading } from '../../parts/notice.tsx'
import { TokensLegend } from '../../parts/tokens-bar.tsx'
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
    <Dialog title="Session" isDrawer onClose={() => change({ open: undefined })}>
      <Failure error={error} onRetry={reload} />
      {value ? <Parts session={value} onChanged={reload} /> : !error && <Loading what="the session" />}
    </Dialog>
  )
}

function Parts({ session, onChanged }: { session: AgentSessionRecord; onChanged: () => void }) {
  const { session: name, key, user } = session
  const calls = { session: name, key, last: '30d' }
  return (
    <>
      <p class="id-line">
        <code>{name}</code> <CopyButton text={name} what="the name" />
      </p>
      <Facts of={factsOf(session)} />
      <p class="links-line">
        <a href={pathWith('/requests', calls)}>Its requests</a>
        <a href={pathWith('/usage', { ...calls, group: 'model' })}>Its cost over time</a>
        {user && <a href={pathWith('/agent-sessions', { user, last: '30d' })}>All sessions of this person</a>}
      </p>
      <SessionLimits session={session} onChanged={onChanged} />
      <h3>Tokens</h3>
      <TokensLegend tokens={session} />
      <h3>Turns</h3>
      <Turns session={session} />
    </>
  )
}

function factsOf(session: AgentSessionRecord) {
  const { requests, failed_requests: failed, unpriced_requests: unpriced } = session
  return {
    Program: session.client,
    Cost:
      unpriced > 0 ? `${money(session.cost)}, and ${count(unpriced)} calls without a known price` : money(session.cost),
    Requests: failed > 0 ? `${count(requests)}, of which ${count(failed)} failed` : count(requests),
    Models: session.models.join(', '),
    Key: session.key_name ?? session.key,
    Project: session.project_name ?? session.project,
    User: session.user,
    'First call': moment(session.first_at),
    'Latest call': moment(session.last_at),
    Length: lengthOf(session) > 0 && roughly(lengthOf(session)),
  }
}
