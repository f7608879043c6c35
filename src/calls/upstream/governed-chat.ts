import type { Caller } from '../../tenants/access/caller.ts'
import { keepsNothing } from '../../tenants/access/policy.ts'
import { ChatRequest } from '../../contract/chat.ts'
import { CohereChatRequest } from '../../contract/cohere/chat.ts'
import { GenerateContentRequest } from '../../contract/gemini/generate-content.ts'
import { CompletionsRequest } from '../../contract/legacy/completions.ts'
import { MessagesRequest } from '../../contract/messages.ts'
import type { NativeAsk } from '../../translation/wire/native-ask.ts'
import { ResponsesRequest } from '../../contract/responses.ts'
import type { Note } from '../../translation/dialects/chat-codec.ts'
import { Notes } from '../../translation/dialects/notes.ts'
import { ownWords } from '../../translation/dialects/request/other-spellings.ts'
import type { Fields } from '../../base/schema/record.ts'
import { type Governed, governFields } from './governed-fields.ts'
import type { AskedChat } from './native-codec.ts'
import type { ChatTarget } from '../routing/chat-targets.ts'

/** A chat without the fields that its provider must not get, and notes about them. */
type GovernedCall = { input: AskedChat; notes: Note[]; isUnpriced: boolean }

const CONTRACTS: Record<NativeAsk['format'], object> = {
  messages: MessagesRequest.properties,
  responses: ResponsesRequest.properties,
  gemini: GenerateContentRequest.properties,
  completions: CompletionsRequest.properties,
  cohere: CohereChatRequest.properties,
}

/** Undefined for nearly all calls, which need no change. A changed request loses its source text. */
export function governChat(
  original: AskedChat,
  target: ChatTarget,
  { policy }: Pick<Caller, 'policy'>,
): GovernedCall | undefined {
  const { native } = original
  const spelled = ownWords(original.request, target, target.provider.dialect)
  const request = spelled?.request ?? original.request
  const { provider } = target
  const govern = (fields: Fields, contract: object) => governFields(fields, contract, provider, keepsNothing(policy))
  const top = govern(request, ChatRequest.properties)
  const extra = request.extra_body ? govern(request.extra_body, {}) : undefined
  const own = native && govern(native.body, CONTRACTS[native.format])
  if (!top && !extra && !own) return spelled && { input: { request, native }, notes: spelled.notes, isUnpriced: false }
  const changed = { ...(top?.fields ?? request), ...(extra && { extra_body: extra.fields }) } as ChatRequest
  const found = [top, extra, own].filter((one) => one !== undefined)
  const isUnpriced = found.some((one) => one.isUnpriced)
  if (!spelled && found.every(({ notes }) => notes.length === 0)) return { input: original, notes: [], isUnpriced }
  const body = { request: changed, native: native && own ? rewritten(native, own) : native }
  return { input: body, notes: [...(spelled?.notes ?? []), ...notesOf(found)], isUnpriced }
}

/** Writes the body again, because its source text still has the dropped fields. */
function rewritten({ write: _, ...native }: NativeAsk, { fields }: Governed): NativeAsk {
  return { ...native, body: fields }
}

/** A field that occurs in several places gets one note. */
function notesOf(found: readonly Governed[]): Note[] {
  const notes = new Notes()
  for (const { field, reason } of found.flatMap((one) => one.notes)) notes.dropped(field, reason)
  return notes.list
}
