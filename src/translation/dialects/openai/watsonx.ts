import type { ChatRequest } from '../../../contract/chat.ts'
import type { Edit } from '../../json/edit-json.ts'
import type { Notes } from '../notes.ts'

// https://cloud.ibm.com/apidocs/watsonx-ai#text-chat: OpenAI's messages, answers and events with field names of its own.

/** The version of the API: IBM requires a date in every call. */
const VERSION = '2025-10-01'

/** The URL, not the body, decides whether the answer is streamed. */
export function watsonxUrl(baseUrl: string, { stream }: ChatRequest): string {
  return `${baseUrl}/text/${stream ? 'chat_stream' : 'chat'}?version=${VERSION}`
}

/** A named tool stays in its field; a choice about all tools has another name. */
export function toWatsonxFields(
  { tool_choice }: ChatRequest,
  { set, drop }: Edit & { drop: Set<string> },
  notes: Notes,
): void {
  set.model_id = set.model
  delete set.model
  drop.add('model').add('stream')
  if (typeof tool_choice !== 'string' || drop.has('tool_choice')) return
  drop.add('tool_choice')
  set.tool_choice_option = tool_choice
  notes.renamed('tool_choice', 'this provider calls it tool_choice_option')
}
