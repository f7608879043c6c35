import { closed, words, nullable, timestamp } from '../../base/schema/fields.ts'
import Type, { type Static } from '../../base/schema/type.ts'
import { pageOf } from '../paging.ts'
import { LIMIT_UNITS } from './limits.ts'
import { RequestLine } from './requests.ts'

const text = (description: string) => Type.String({ description })
const textOrNull = (description: string) => nullable(Type.String(), description)
const count = (description: string) => Type.Integer({ minimum: 0, description })

const session = {
  id: text('The id of the session here: it stands for the key and the name of the session.'),
  session: text('The name of the session, as the agent says it.'),
  client: textOrNull('The program, such as `claude-code`. Null if the gateway does not know it.'),
  organization: text('The organization.'),
  project: text('The project.'),
  project_name: textOrNull('The name of the project, also of a deleted one.'),
  key: text('The id of the key.'),
  key_name: textOrNull('The name of the key, also of a deleted one.'),
  user: textOrNull('The user that the key belongs to.'),
  first_at: timestamp('When its first call ended.'),
  last_at: timestamp('When its latest call ended.'),
  requests: count('Calls.'),
  failed_requests: count('Calls that ended in an error.'),
  unpriced_requests: count('Calls whose price is not known.'),
  prompt_tokens: count('Tokens read.'),
  cached_tokens: count('Tokens read from a cache, part of prompt_tokens.'),
  cache_write_tokens: count('Tokens written to a cache, part of prompt_tokens.'),
  completion_tokens: count('Tokens written.'),
  reasoning_tokens: count('Tokens of reasoning, part of completion_tokens.'),
  cost: Type.Number({ minimum: 0, description: 'The cost in USD. Calls without a known price add nothing.' }),
  models: Type.Array(Type.String(), { description: 'The models that answered.' }),
}

const AgentSession = Type.Object(session, { title: 'AgentSession', description: 'A session of an agent.' })
export type AgentSession = Static<typeof AgentSession>

export const AgentSessionList = pageOf(AgentSession, {
  title: 'AgentSessionList',
  description: 'Sessions of agents, page by page.',
  items: 'Sessions, the one with the latest call first.',
})
export type AgentSessionList = Static<typeof AgentSessionList>

const SessionLimit = Type.Object(
  {
    limit_id: text('The budget or rate limit.'),
    unit: words([...LIMIT_UNITS], { description: 'What it counts.' }),
    limit: Type.Number({ description: 'What a session may use.' }),
    spent: Type.Number({ description: 'What this session has used since it was last idle, less what was lifted.' }),
    reserved: Type.Number({ description: 'Held by calls and processes.' }),
    left: Type.Number({ description: 'What is left.' }),
    idle_at: timestamp('When it begins anew, if the session is not used until then.'),
  },
  { title: 'SessionLimit', description: 'A limit that counts each session.' },
)
export type SessionLimit = Static<typeof SessionLimit>

export const AgentSessionRecord = Type.Object(
  {
    ...session,
    turns: Type.Array(RequestLine, { description: 'Its latest calls, newest first: up to 200.' }),
    limits: Type.Array(SessionLimit, { description: 'The limits per session that count it now.' }),
  },
  { title: 'AgentSessionRecord', description: 'A session of an agent with its calls.' },
)
export type AgentSessionRecord = Static<typeof AgentSessionRecord>

export const LiftSessionRequest = Type.Object(
  {
    id: Type.String({ minLength: 1, maxLength: 4_000, description: 'The `id` of the session.' }),
    limit_id: Type.String({ minLength: 1, maxLength: 100, description: 'A budget or rate limit per session.' }),
  },
  { title: 'LiftSessionRequest', description: 'Which limit to lift, for which session.', ...closed },
)
export type LiftSessionRequest = Static<typeof LiftSessionRequest>
