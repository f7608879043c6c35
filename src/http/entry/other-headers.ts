import type { IncomingHttpHeaders } from 'node:http'
import type { Note } from '../../translation/dialects/chat-codec.ts'

// Headers of LiteLLM and Portkey that say how a gateway should treat a call. The only one that the gateway reads is the time limit.

const TIMEOUT = 'x-litellm-timeout'
const LITELLM = [
  ...['x-litellm-num-retries', 'x-litellm-stream-timeout', 'x-litellm-tags', 'x-litellm-end-user-id'],
  ...['x-litellm-customer-id', 'x-litellm-spend-logs-metadata', 'x-litellm-enable-message-redaction'],
]
const PORTKEY = ['x-portkey-config', 'x-portkey-virtual-key', 'x-portkey-metadata']

const FOR_ANOTHER = 'this header is for another gateway: use the fields of the body, or the headers of this one'
const NOTES = [...LITELLM, ...PORTKEY].map((field): Note => ({ field, action: 'dropped', reason: FOR_ANOTHER }))
const NO_TIME: Note = { field: TIMEOUT, action: 'dropped', reason: 'it is no number of seconds' }

/** What those of this request are not read for. Empty for nearly all requests. */
export function notesOnHeaders(headers: IncomingHttpHeaders): readonly Note[] {
  const found = NOTES.filter(({ field }) => headers[field] !== undefined)
  return headers[TIMEOUT] !== undefined && litellmTimeout(headers) === undefined ? [...found, NO_TIME] : found
}

/** LiteLLM's time limit is in seconds. In milliseconds here. */
export function litellmTimeout(headers: IncomingHttpHeaders): number | undefined {
  const written = headers[TIMEOUT]
  if (typeof written !== 'string' || !/^\d{1,6}(?:\.\d{1,9})?$/.test(written)) return undefined
  return Math.ceil(Number(written) * 1000) || undefined
}
