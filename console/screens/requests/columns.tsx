import type { RequestLine } from '../../../src/contract/admin/requests.ts'
import { count, duration, moment, money, shortMoment } from '../../parts/format.ts'
import { Status } from '../../parts/status.tsx'
import type { Column } from '../../parts/table/column.ts'
import { TokensBar } from '../../parts/tokens-bar.tsx'

export const COLUMNS: readonly Column<RequestLine>[] = [
  {
    name: 'at',
    title: 'Time',
    cell: ({ at }) => shortMoment(at),
    sort: ({ at }) => at,
    tip: ({ at }) => moment(at),
  },
  {
    name: 'model',
    title: 'Model',
    isMain: true,
    sort: ({ model }) => model,
    cell: (line) => <Model line={line} />,
  },
  { name: 'key', title: 'Key', sort: keyName, cell: keyName },
  { name: 'project', title: 'Project', isMinor: true, sort: projectName, cell: projectName },
  { name: 'endpoint', title: 'Endpoint', isExtra: true, cell: ({ endpoint }) => endpoint },
  { name: 'status', title: 'Status', sort: ({ status }) => status, cell: (line) => <Status {...line} /> },
  {
    name: 'tokens',
    title: 'Tokens',
    isMinor: true,
    cell: (line) => <TokensBar tokens={line} />,
    sort: ({ prompt_tokens: read, completion_tokens: written }) => read + written,
  },
  {
    name: 'cost',
    title: 'Cost',
    isNumber: true,
    cell: ({ cost, estimated }) => money(cost, estimated),
    sort: ({ cost }) => cost,
  },
  {
    name: 'first',
    title: 'First token',
    isNumber: true,
    cell: ({ first_token_ms: ms }) => duration(ms),
    isMinor: true,
    sort: ({ first_token_ms: ms }) => ms,
  },
  {
    name: 'duration',
    title: 'Duration',
    isNumber: true,
    cell: ({ duration_ms: ms }) => duration(ms),
    sort: ({ duration_ms: ms }) => ms,
  },
  { name: 'attempts', title: 'Attempts', isNumber: true, isExtra: true, cell: ({ attempts }) => count(attempts) },
  { name: 'provider', title: 'Provider', isExtra: true, cell: ({ provider }) => provider },
  { name: 'user', title: 'User', isExtra: true, cell: ({ user, user_name: name }) => name ?? user ?? '' },
  { name: 'end_user', title: 'End user', isExtra: true, cell: ({ end_user }) => end_user ?? '' },
  { name: 'session', title: 'Session', isExtra: true, cell: ({ session }) => session ?? '' },
  { name: 'client', title: 'Program', isExtra: true, cell: ({ client }) => client ?? '' },
  { name: 'agent', title: 'Agent', isExtra: true, cell: ({ agent }) => agent ?? '' },
  { name: 'organization', title: 'Organization', isExtra: true, cell: ({ organization }) => organization },
  { name: 'owner', title: 'Owner', isExtra: true, cell: ({ owner }) => owner },
  { name: 'tags', title: 'Tags', isExtra: true, cell: ({ tags }) => tagsText(tags) },
  { name: 'stream', title: 'Streamed', isExtra: true, cell: ({ stream }) => (stream ? 'yes' : 'no') },
  { name: 'fallback', title: 'Fallback', isExtra: true, cell: ({ fallback }) => (fallback ? 'yes' : 'no') },
  { name: 'id', title: 'ID', isExtra: true, cell: ({ id }) => <code>{id}</code> },
]

export function tagsText(tags: RequestLine['tags']): string {
  return Object.entries(tags ?? {})
    .map(([name, value]) => `${name}=${value}`)
    .join(', ')
}

function keyName({ key, key_name: name }: RequestLine): string {
  return name ?? key
}

function projectName({ project, project_name: name }: RequestLine): string {
  return name ?? project
}

/** The model that answered, and what was requested if that is another name. */
function Model({ line: { model, requested_model: asked, fallback } }: { line: RequestLine }) {
  const isOther = asked !== null && asked !== model
  return (
    <span class="marked">
      <span>
        {isOther && <span class="faint">{model === '' ? `${asked}, ` : `${asked} → `}</span>}
        {model || 'not routed'}
      </span>
      {fallback && <span class="badge">fallback</span>}
    </span>
  )
}
