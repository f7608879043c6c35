import { type Answer, Internal } from '../../../translation/wire/answer.ts'
import type { NativeAsk } from '../../../translation/wire/native-ask.ts'
import { errorEvent } from '../../../translation/dialects/answer/error-event.ts'
import { notAnAnswer } from '../../../translation/dialects/answer-problems.ts'
import { requestHeaders } from '../../../translation/dialects/request/request-headers.ts'
import type { ChatCall, ChatCodec, Encoded } from '../../../translation/dialects/chat-codec.ts'
import { DIALECTS } from '../../../translation/dialects/index.ts'
import { Notes } from '../../../translation/dialects/notes.ts'
import { bodyOfChat } from '../../../translation/formats/responses/from-chat/chat-body.ts'
import { isResponse, readResponse } from '../../../translation/formats/responses/read-response.ts'
import { ResponseDecoder } from '../../../translation/formats/responses/response-decoder.ts'
import { parseToSend } from '../../../translation/json/exact-numbers.ts'
import { tryParse } from '../../../translation/json/try-parse.ts'
import { type Fields, isRecord } from '../../../base/schema/record.ts'
import { NativeEventsDecoder } from '../native-events-decoder.ts'
import type { ChatTarget } from '../../routing/chat-targets.ts'
import { nativeBody } from './native-body.ts'
import { keepWritten, writeJson } from '../../../translation/json/written-numbers.ts'

const SEALED_REASONING = 'reasoning.encrypted_content'

/**
 * The codec of a provider's `/responses` endpoint, for calls in any format. A caller of the same format gets the provider's
 * own events, unless hooks change the answer.
 */
export function responsesCodec(chosen: ChatTarget, native: NativeAsk | undefined, isChanged: boolean): ChatCodec {
  const { problem } = DIALECTS.openai.chat
  const own = native?.format === 'responses' ? native : undefined
  // Hooks that changed the input may have to change the answer, too.
  const isNative = own !== undefined && !own.isStale && !isChanged
  const { id } = chosen.provider
  return {
    choices: 'one',
    encode: (call) => encode(call, own, chosen),
    decode: (text) => decode(text, isNative, id),
    decoder: () => (isNative ? new NativeEventsDecoder(new ResponseDecoder(id)) : new ResponseDecoder(id)),
    problem,
  }
}

/** Nothing is stored at the provider: the input has the whole conversation, and reasoning is returned encrypted. */
function encode({ request, cacheKey }: ChatCall, native: NativeAsk | undefined, target: ChatTarget): Encoded {
  const notes = new Notes()
  const fields = withoutState(bodyOf(request, native, target, notes))
  const added = { ...included(fields, target, notes), ...(cacheKey !== undefined && { prompt_cache_key: cacheKey }) }
  const body = writeJson({ ...fields, ...added, model: target.model, store: false }, fields)
  const wire = { method: 'POST' as const, url: `${target.baseUrl}/responses`, headers: requestHeaders(request), body }
  return { wire, notes: notes.list }
}

/** What the provider stores belongs to the operator's account, which all callers share. */
function withoutState(fields: Fields): Fields {
  return keepWritten(Object.fromEntries(Object.entries(fields).filter(([field]) => !STATE.has(field))), fields)
}

const STATE: ReadonlySet<string> = new Set(['previous_response_id', 'conversation', 'prompt', 'background'])

function bodyOf(request: ChatCall['request'], native: NativeAsk | undefined, target: ChatTarget, notes: Notes): Fields {
  const chat = () => bodyOfChat(request, target, target.provider.id, notes)
  if (!native) return chat()
  const own = nativeBody(native, target, notes)
  return native.isStale ? rewritten(own, chat()) : own
}

/** What hooks and files have changed is in the chat; the chat cannot express the provider's own tools and settings. */
function rewritten({ instructions: _, ...own }: Fields, { input, ...chat }: Fields): Fields {
  const reasoning = isRecord(own.reasoning) ? { reasoning: { ...own.reasoning, ...(chat.reasoning as Fields) } } : {}
  return { ...chat, ...own, ...reasoning, input }
}

/** A model that does not reason refuses to be asked for its encrypted reasoning. */
function included({ include }: Fields, { entry }: ChatTarget, notes: Notes): Fields {
  const requested = Array.isArray(include) ? include : []
  if (entry?.can.includes('reasoning')) return { include: [...new Set([...requested, SEALED_REASONING])] }
  if (!entry || !requested.includes(SEALED_REASONING)) return {}
  notes.dropped('include', 'this model has no encrypted reasoning')
  return { include: requested.filter((one) => one !== SEALED_REASONING) }
}

function decode(text: string, isNative: boolean, provider: string): Answer {
  const value = tryParse(text, parseToSend)
  if (!isResponse(value)) throw errorEvent({ data: text }, value) ?? notAnAnswer(text, 'a response')
  const completion = readResponse(value, provider)
  if (isNative) completion.nativeReply = new Internal(value)
  return completion
}
