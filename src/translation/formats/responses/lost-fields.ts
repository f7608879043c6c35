import { ResponsesRequest } from '../../../contract/responses.ts'
import { type Fields, recordsIn, textOf } from '../../../base/schema/record.ts'
import type { DropNotes } from '../../wire/native-ask.ts'
import { unexpressed } from '../unexpressed.ts'

/** Fields that the chat format expresses, that are for the gateway, or that only say how a stream is written. */
const READ: ReadonlySet<string> = new Set([
  ...Object.keys(ResponsesRequest.properties),
  ...['prompt_cache_key', 'safety_identifier', 'max_tool_calls', 'stream_options'],
])

/** The limit counts tools that OpenAI or the gateway runs. Those of the gateway are not in a request that is sent. */
function isHosted({ type }: Fields): boolean {
  return !BY_CALLER.has(textOf(type))
}

const BY_CALLER: ReadonlySet<string> = new Set(['function', 'custom', 'local_shell', 'apply_patch', 'namespace'])

/** Notes the fields that a chat in our own format does not carry. */
export function noteLostFields(body: Fields, notes: DropNotes): void {
  for (const name in unexpressed(body, READ))
    notes.dropped(name, 'the responses format has it only at OpenAI, or not at all')
  if (body.max_tool_calls != null && recordsIn(body.tools).some(isHosted))
    notes.dropped('max_tool_calls', 'this provider runs its tools without such a limit')
  if (body.truncation === 'auto') notes.dropped('truncation', 'the gateway does not shorten conversations')
}
