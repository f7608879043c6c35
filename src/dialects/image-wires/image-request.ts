import type { WireRequest } from '../../contract/wire.ts'
import type { ImageCall } from '../image-face.ts'
import { type Fields, recordOf } from '../record.ts'
import { type FormPart, formBody } from './form-body.ts'

const JSON_TYPE = 'application/json'

export function jsonRequest(url: string, body: Fields, call: ImageCall, ours: Headers = {}): WireRequest {
  const headers = headersOf(call, { 'content-type': JSON_TYPE, accept: JSON_TYPE, ...ours })
  return { method: 'POST', url, headers, body: JSON.stringify(body) }
}

export function formRequest(url: string, parts: readonly FormPart[], call: ImageCall): WireRequest {
  const { contentType, body } = formBody(parts)
  return { method: 'POST', url, headers: headersOf(call, { 'content-type': contentType, accept: JSON_TYPE }), body }
}

/** Asks how far a ticket is. */
export function pollRequest(url: string): WireRequest {
  return { method: 'GET', url, headers: { accept: JSON_TYPE }, body: null }
}

type Headers = Readonly<Record<string, string>>

/** What the caller adds goes along, and replaces none of ours. */
function headersOf({ extra }: ImageCall, ours: Headers): Record<string, string> {
  const headers: Record<string, string> = { ...ours }
  for (const [name, value] of Object.entries(recordOf(extra.extra_headers)))
    if (typeof value === 'string') headers[name.toLowerCase()] ??= value
  return headers
}
