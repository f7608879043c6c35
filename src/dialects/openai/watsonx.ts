import type { ChatRequest } from '../../contract/chat.ts'
import type { Edit } from '../../json/edit-json.ts'
import type { Notes } from '../notes.ts'

// https://cloud.ibm.com/apidocs/watsonx-ai#text-chat: OpenAI's messages, answers and events under names of its own.

/** The state of the wire that is spoken here: IBM wants a date with every call. */
const VERSION = '2025-10-01'

/** Whether it streams is said by the address, not by the body. */
export function watsonxUrl(baseUrl: string, { stream }: ChatRequest): string {
  return `${baseUrl}/text/${stream ? 'chat_stream' : 'chat'}?version=${VERSION}`
}

/** A tool that is named stays where it is; a word about all of them goes by another name. */
export function asWatsonxWants(
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
