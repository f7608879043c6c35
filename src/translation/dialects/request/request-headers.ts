import type { ChatRequest } from '../../../contract/chat.ts'

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
  if (extra_headers) addCallerHeaders(headers, extra_headers)
  return headers
}

/**
 * A provider that got these would make its spans siblings of ours, and baggage may hold anything. It gets a `traceparent` of
 * the gateway's own, or none.
 */
const TRACE_HEADERS: ReadonlySet<string> = new Set(['traceparent', 'tracestate', 'baggage'])

/** Adds the headers that a caller wants the provider to get. */
export function addCallerHeaders(headers: Record<string, string>, extra: Readonly<Record<string, string>>): void {
  for (const name in extra) {
    const lower = name.toLowerCase()
    if (!TRACE_HEADERS.has(lower)) headers[lower] ??= extra[name]!
  }
}
