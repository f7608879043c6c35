import { AgentSessionList, AgentSessionRecord, LiftSessionRequest } from '../../../contract/admin/agent-sessions.ts'
import { LINE_FILTERS } from '../../../contract/admin/line-filters.ts'
import { ErrorBody } from '../../../contract/errors.ts'
import { listSessions, sessionNamed, showSession } from '../../../money/billing/agent-sessions.ts'
import { liftForSession } from '../../../money/limits/manage-limits.ts'
import { limitsOfSession } from '../../../money/limits/session-limits.ts'
import { closed } from '../../../base/schema/fields.ts'
import Type from '../../../base/schema/type.ts'
import { askedBy } from '../../admin/admin-auth.ts'
import { pageIn, paging } from '../../admin/paging.ts'
import { route } from '../../define-route.ts'
import type { Route } from '../../route.ts'
import { readSpan, readVisible, visibleLines } from './query/line-filter-query.ts'

const NO_SESSION = { description: 'There is no such session.', schema: ErrorBody }

const list = route({
  method: 'GET',
  path: '/admin/agent-sessions',
  access: 'admin',
  permission: 'usage.read',
  summary: 'List agent sessions',
  description:
    'The latest session first. Calls that name the same session with the same key, added up. The filters choose calls, as in the request log. Without ' +
    '`from`, it begins 30 days before `to`.',
  query: Type.Object({ ...LINE_FILTERS, ...paging }, closed),
  replies: { 200: { description: 'A page of sessions.', schema: AgentSessionList } },
  handle: async (request, _reply, services) => {
    const { limit, cursor, ...query } = request.query
    const filter = await readVisible(query, request.actor, services.money)
    const search = { ...readSpan(query, services.money.now()), filter }
    return await listSessions(search, pageIn({ limit, cursor }), services.money)
  },
})

const one = route({
  method: 'GET',
  path: '/admin/agent-sessions/{agent_session}',
  access: 'admin',
  permission: 'usage.read',
  summary: 'Get an agent session',
  description: 'The session with its latest calls, and with what it has used of limits per session.',
  greedy: true,
  replies: { 200: { description: 'The session.', schema: AgentSessionRecord }, 404: NO_SESSION },
  handle: async (request, _reply, services) => {
    const named = sessionNamed(request.params.agent_session)
    const visible = await visibleLines(request.actor, services.money)
    const session = await showSession(named, visible, services.money)
    return { ...session, limits: await limitsOfSession(named, services.money) }
  },
})

const lift = route({
  method: 'POST',
  path: '/admin/agent-sessions/lift',
  access: 'admin',
  permission: 'limits.write',
  summary: 'Reset a limit for one agent session',
  description:
    'Sets what the session has used of a limit per session to zero, so that the session can continue. The ledger does not change. Needs the right to change the limit.',
  body: LiftSessionRequest,
  replies: { 200: { description: 'The session.', schema: AgentSessionRecord }, 404: NO_SESSION },
  handle: async (request, _reply, services) => {
    const { id, limit_id } = request.body.value
    const named = sessionNamed(id)
    const visible = await visibleLines(request.actor, services.money)
    const session = await showSession(named, visible, services.money)
    await liftForSession(limit_id, named, askedBy(request, services.money))
    return { ...session, limits: await limitsOfSession(named, services.money) }
  },
})

export const agentSessionRoutes: readonly Route[] = [list, one, lift]
