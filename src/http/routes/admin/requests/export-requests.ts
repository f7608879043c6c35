import type { RequestLine } from '../../../../contract/admin/requests.ts'
import { csvLine } from '../../../export/csv.ts'

// The request log as a file: one line for each call.

const columns = (...names: Exclude<keyof RequestLine, 'tags' | 'upstream_ids'>[]) => names
const COLUMNS = [
  ...columns('id', 'at', 'organization', 'project', 'project_name', 'key', 'key_name', 'owner', 'user', 'user_name'),
  ...columns('end_user', 'session', 'agent', 'parent_agent', 'client'),
  ...columns('endpoint', 'requested_model', 'model', 'provider', 'status', 'code', 'stream', 'attempts', 'fallback'),
  ...columns('prompt_tokens', 'cached_tokens', 'cache_write_tokens', 'completion_tokens', 'reasoning_tokens'),
  ...columns('cost', 'estimated', 'duration_ms', 'first_token_ms', 'batch', 'tier'),
]

export async function* csvOf(lines: AsyncIterable<RequestLine>): AsyncGenerator<string> {
  yield csvLine([...COLUMNS, 'tags', 'upstream_ids'])
  for await (const line of lines)
    yield csvLine([
      ...COLUMNS.map((name) => line[name]),
      line.tags && JSON.stringify(line.tags),
      line.upstream_ids.join(' '),
    ])
}

export async function* jsonLinesOf(lines: AsyncIterable<RequestLine>): AsyncGenerator<string> {
  for await (const line of lines) yield `${JSON.stringify(line)}\n`
}
