import type { ChatRequest } from '../../../contract/chat.ts'
import { MessagesRequest } from '../../../contract/messages.ts'
import type { Fields } from '../../../base/schema/record.ts'
import type { DropNotes, OtherTarget } from '../../wire/native-ask.ts'
import { unexpressed, withOwn } from '../unexpressed.ts'

/** Fields that the chat format expresses, or that are for the gateway. */
const READ: ReadonlySet<string> = new Set([
  ...Object.keys(MessagesRequest.properties),
  // What the format of an answer was called earlier, and other names of the end user.
  ...['output_format', 'user', 'safety_identifier'],
])

/** Notes the fields that a chat in our own format does not carry. Providers of the messages format get them. */
export function noteLostFields(body: Fields, notes: DropNotes, other: OtherTarget | undefined): void {
  if (!other) return
  for (const name in unexpressed(body, READ)) notes.dropped(name, 'only providers of the messages format understand it')
}

/** The chat with the fields of a request that only providers of the messages format understand. */
export function withOwnFields(request: ChatRequest, body: Fields): ChatRequest {
  return withOwn(request, unexpressed(body, READ), body)
}
