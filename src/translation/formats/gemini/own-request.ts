import type { ChatRequest } from '../../../contract/chat.ts'
import type { NativeAsk } from '../../wire/native-ask.ts'
import type { Encoded, Target } from '../../dialects/chat-codec.ts'
import { isVertex, urlFor } from '../../dialects/gemini/address.ts'
import { Notes } from '../../dialects/notes.ts'
import { GATEWAY_FIELDS } from '../../dialects/request/gateway-fields.ts'
import { requestHeaders } from '../../dialects/request/request-headers.ts'
import { editValue } from '../../json/edit-json.ts'
import { ownChanges } from './own-body.ts'

/** The caller's own body for Google, without fields for the gateway and without signatures of other providers. */
export function ownRequest(request: ChatRequest, native: NativeAsk, target: Target): Encoded {
  const { body, write = (edit) => editValue(body, edit) } = native
  const notes = new Notes()
  const set = ownChanges(body, isVertex(target), notes)
  const wire = {
    method: 'POST' as const,
    url: urlFor(request, target),
    headers: requestHeaders(request),
    body: write({ set, drop: new Set(Object.keys(body).filter((field) => body[field] === null || isOurs(field))) }),
  }
  return { wire, notes: notes.list }
}

/** The path names the model; a body that names another one would be a contradiction. */
function isOurs(field: string): boolean {
  return field === 'model' || GATEWAY_FIELDS.has(field)
}
