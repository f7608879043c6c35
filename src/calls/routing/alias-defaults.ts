import { CohereChatRequest } from '../../contract/cohere/chat.ts'
import { CompletionsRequest } from '../../contract/legacy/completions.ts'
import { MessagesRequest } from '../../contract/messages.ts'
import { ResponsesRequest } from '../../contract/responses.ts'
import type { NativeAsk } from '../../translation/wire/native-ask.ts'
import type { ChatCall } from '../../translation/dialects/chat-codec.ts'
import type { ChatTarget } from './chat-targets.ts'

type AskedChat = ChatCall & { native?: NativeAsk | undefined }

type Defaults = Pick<ChatTarget, 'defaults'>

const FIELDS_OF = {
  messages: MessagesRequest.properties,
  responses: ResponsesRequest.properties,
  completions: CompletionsRequest.properties,
  cohere: CohereChatRequest.properties,
} as const

/** The body with the fields that the caller left out and the alias of the target sets. Without an alias, it is the body itself. */
export function completed<Body extends object>(body: Body, { defaults }: Defaults): Body {
  const missing = missingIn(body, defaults)
  return missing ? { ...body, ...missing } : body
}

/** Like completed, for a chat in any format. A changed request loses its source text. */
export function completedChat(input: AskedChat, target: Defaults): AskedChat {
  const request = completed(input.request, target)
  if (request === input.request) return input
  const { native } = input
  if (!native) return { request }
  // The fields of this format have other names and places.
  if (native.format === 'gemini') return { request, native: { ...native, isStale: true } }
  const { write: _, ...rest } = native
  const fields = FIELDS_OF[native.format]
  const own = Object.entries(target.defaults ?? {}).filter(([field]) => Object.hasOwn(fields, field))
  const missing = missingIn(native.body, Object.fromEntries(own))
  return { request, native: missing ? { ...rest, body: { ...native.body, ...missing } } : native }
}

function missingIn(body: object, defaults: Defaults['defaults']): Record<string, unknown> | undefined {
  if (!defaults) return undefined
  const missing = Object.entries(defaults).filter(([field]) => body[field as keyof object] == null)
  return missing.length > 0 ? Object.fromEntries(missing) : undefined
}
