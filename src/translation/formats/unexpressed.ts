import type { ChatRequest } from '../../contract/chat.ts'
import type { Fields } from '../../base/schema/record.ts'
import { keepWritten } from '../json/written-numbers.ts'

/** The fields of a request that have no place in a chat of our own format. */
export function unexpressed(fields: Fields, expressed: ReadonlySet<string>): Fields {
  const lost = Object.entries(fields).filter(([name, value]) => value != null && !expressed.has(name))
  return keepWritten(Object.fromEntries(lost), fields)
}

/** The chat with fields that its provider understands, although our own format does not have them. */
export function withOwn(request: ChatRequest, own: Fields, from: object): ChatRequest {
  if (Object.keys(own).length === 0) return request
  return keepWritten({ ...request, extra_body: keepWritten({ ...own, ...request.extra_body }, from) }, request)
}
