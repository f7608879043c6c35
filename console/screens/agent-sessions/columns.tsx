import type { AgentSession } from '../../../src/contract/admin/agent-sessions.ts'
import { count, duration, moment, money, shortMoment } from '../../parts/format.ts'
import type { Column } from '../../parts/table/column.ts'
import { TokensBar } from '../../parts/tokens-bar.tsx'

export const COLUMNS: readonly Column<AgentSession>[] = [
  {
    name: 'last_at',
    title: 'Last request',
    cell: ({ last_at: at }) => shortMoment(at),
    sort: ({ last_at: at }) => at,
    tip: ({ last_at: at }) => moment(at),
  },
  { name: 'session', title: 'Session', sort: ({ session }) => session, cell: ({ session }) => <code>{session}</code> },
  { name: 'client', title: 'Program', sort: ({ client }) => client ?? '', cell: ({ client }) => client ?? 'unknown' },
  { name: 'key', title: 'Key', sort: keyName, cell: keyName },
  { name: 'project', title: 'Project', isMinor: true, sort: projectName, cell: projectName },
  { name: 'models', title: 'Models', isMinor: true, isMain: true, cell: ({ models }) => models.join(', ') },
  {
    name: 'requests',
    title: 'Requests',
    isNumber: true,
    cell: ({ requests }) => count(requests),
    sort: ({ requests }) => requests,
  },
  {
    name: 'tokens',
    title: 'Tokens',
    isMinor: true,
    cell: (session) => <TokensBar tokens={session} />,
    sort: ({ prompt_tokens: read, completion_tokens: written }) => read + written,
  },
  {
    name: 'cost',
    title: 'Cost',
    isNumber: true,
    cell: ({ cost }) => money(cost),
    sort: ({ cost }) => cost,
  },
  { name: 'length', title: 'Duration', isNumber: true, sort: lengthOf, cell: (session) => duration(lengthOf(session)) },
  {
    name: 'failed',
    title: 'Failed',
    isNumber: true,
    isExtra: true,
    cell: ({ failed_requests: failed }) => count(failed),
  },
  { name: 'user', title: 'User', isExtra: true, cell: ({ user }) => user ?? '' },
  { name: 'organization', title: 'Organization', isExtra: true, cell: ({ organization }) => organization },
]

/** Milliseconds from the end of its first call to the end of its latest. One call alone has no length. */
export function lengthOf({ first_at: first, last_at: last }: AgentSession): number | null {
  return Date.parse(last) - Date.parse(first) || null
}

function keyName({ key, key_name: name }: AgentSession): string {
  return name ?? key
}

function projectName({ project, project_name: name }: AgentSession): string {
  return name ?? project
}
