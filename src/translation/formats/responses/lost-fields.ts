import { ResponsesRequest } from '../../../contract/responses.ts'
import type { Fields } from '../../../base/schema/record.ts'
import type { DropNotes } from '../../wire/native-ask.ts'
import { unexpressed } from '../unexpressed.ts'

/** Fields that the chat format expresses, that are for the gateway, or that only say how a stream is written. */
const READ: ReadonlySet<string> = new Set([
  ...Object.keys(ResponsesRequest.properties),
  ...['prompt_cache_key', 'safety_identifier', 'max_tool_calls', 'stream_options'],
])

/** Notes the fields that a chat in our own format does not carry. */
export function noteLostFields(body: Fields, notes: DropNotes): void {
  for (const name in unexpressed(body, READ))
    notes.dropped(name, 'the responses format has it only at OpenAI, or not at all')
  if (body.truncation === 'auto') notes.dropped('truncation', 'the gateway does not shorten conversations')
}
