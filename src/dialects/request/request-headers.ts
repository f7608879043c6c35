import type { ChatRequest } from '../../contract/chat.ts'

/** The headers of a call. The caller's headers are added and replace none of ours. */
export function requestHeaders(
  { stream, extra_headers }: ChatRequest,
  ours: Readonly<Record<string, string>> = {},
): Record<string, string> {
  const headers: Record<string, string> = {
    'content-type': 'application/json',
    accept: stream ? 'text/event-stream' : 'application/json',
    ...ours,
  }
  for (const name in extra_headers) headers[name.toLowerCase()] ??= extra_headers[name]!
  return headers
}
