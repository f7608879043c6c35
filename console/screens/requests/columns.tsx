import type { RequestLine } from '../../../src/contract/admin/requests.ts'
import { pathWith } from '../../api/client.ts'
import { count, duration, moment, money, shortMoment } from '../../parts/format.ts'
import { Status } from '../../parts/status.tsx'
import type { Column } from '../../parts/table.tsx'
import { TokensBar } from '../../parts/tokens-bar.tsx'
import { type Texts, useQuery } from '../../parts/use-query.ts'

export const COLUMNS: readonly Column<RequestLine>[] = [
  { name: 'at', title: 'Time', cell: (line) => <OpenLink line={line} /> },
  { name: 'model', title: 'Model', cell: (line) => <Model line={line} /> },
  { name: 'key', title: 'Key', cell: ({ key, key_name }) => key_name ?? key },
  { name: 'project', title: 'Project', cell: ({ project, project_name }) => project_name ?? project },
  { name: 'endpoint', title: 'Endpoint', isExtra: true, cell: ({ endpoint }) => endpoint },
  { name: 'status', title: 'Status', cell: ({ status, code }) => <Status status={status} code={code} /> },
  { name: 'tokens', title: 'Tokens', cell: (line) => <TokensBar tokens={line} /> },
  { name: 'cost', title: 'Cost', isNumber: true, cell: ({ cost, estimated }) => money(cost, estimated) },
  { name: 'first', title: 'First token', isNumber: true, cell: ({ first_token_ms }) => duration(first_token_ms) },
  { name: 'duration', title: 'Duration', isNumber: true, cell: ({ duration_ms }) => duration(duration_ms) },
  { name: 'attempts', title: 'Attempts', isNumber: true, isExtra: true, cell: ({ attempts }) => count(attempts) },
  { name: 'provider', title: 'Provider', isExtra: true, cell: ({ provider }) => provider },
  { name: 'user', title: 'User', isExtra: true, cell: ({ user }) => user ?? '' },
  { name: 'end_user', title: 'End user', isExtra: true, cell: ({ end_user }) => end_user ?? '' },
  { name: 'organization', title: 'Organization', isExtra: true, cell: ({ organization }) => organization },
  { name: 'owner', title: 'Owner', isExtra: true, cell: ({ owner }) => owner },
  { name: 'tags', title: 'Tags', isExtra: true, cell: ({ tags }) => tagsText(tags) },
  { name: 'stream', title: 'Streamed', isExtra: true, cell: ({ stream }) => (stream ? 'yes' : 'no') },
  { name: 'fallback', title: 'Fallback', isExtra: true, cell: ({ fallback }) => (fallback ? 'yes' : 'no') },
  { name: 'id', title: 'Id', isExtra: true, cell: ({ id }) => <code>{id}</code> },
]

export function tagsText(tags: RequestLine['tags']): string {
  return Object.entries(tags ?? {})
    .map(([name, value]) => `${name}=${value}`)
    .join(', ')
}

/** The first cell of a row opens it, with the keyboard too, and as a link that can be sent. */
function OpenLink({ line: { id, at } }: { line: RequestLine }) {
  const { query } = useQuery()
  return (
    <a href={callPath(query, id)} title={moment(at)}>
      {shortMoment(at)}
    </a>
  )
}

/** The detail of a call is a part of the list's address. */
export function callPath(query: Texts, id: string | undefined): string {
  return pathWith('/requests', { ...query, call: id })
}

/** The model that answered, and what was asked for if that is another name. */
function Model({ line: { model, requested_model: asked, fallback } }: { line: RequestLine }) {
  const isOther = asked !== null && asked !== model
  return (
    <span class="model">
      {isOther && <span class="faint">{asked} → </span>}
      {model || 'none'}
      {fallback && <span class="badge">fallback</span>}
    </span>
  )
}
