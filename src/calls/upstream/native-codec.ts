import { NativeEventsDecoder, NativeRepliesDecoder } from './native-events-decoder.ts'
import type { NativeAsk, OtherTarget } from '../../translation/wire/native-ask.ts'
import { problem } from '../../contract/problems.ts'
import { requestHeaders } from '../../translation/dialects/request/request-headers.ts'
import { GATEWAY_FIELDS } from '../../translation/dialects/request/gateway-fields.ts'
import type { ChatCall, ChatCodec, ChatDecoder, Encoded, Target } from '../../translation/dialects/chat-codec.ts'
import type { DialectName } from '../../translation/dialects/index.ts'
import type { ChatRequest } from '../../contract/chat.ts'
import { withOwnFields } from '../../translation/formats/gemini/lost-fields.ts'
import { withOwnFields as withOwnMessagesFields } from '../../translation/formats/messages/lost-fields.ts'
import { ownRequest } from '../../translation/formats/gemini/own-request.ts'
import { ownChanges } from '../../translation/formats/messages/own-body.ts'
import { Notes } from '../../translation/dialects/notes.ts'
import { editValue } from '../../translation/json/edit-json.ts'
import { parseToSend } from '../../translation/json/exact-numbers.ts'
import { tryParse } from '../../translation/json/try-parse.ts'
import { recordOf } from '../../base/schema/record.ts'
import { type Answer, Internal } from '../../translation/wire/answer.ts'
import { chatCodecOf } from './chat-codec-of.ts'
import { completesText, completionsCodec } from './completions/completions-codec.ts'
import { fitSearch } from './search-tools.ts'
import { responsesCodec } from './responses/responses-codec.ts'
import { speaksResponses } from './responses/speaks-responses.ts'
import type { ChatTarget } from '../routing/chat-targets.ts'

/** A chat that may also have come in another client format, with its original body. */
export type AskedChat = ChatCall & { native?: NativeAsk | undefined }

/** The version of the messages format. */
export const FORMAT_VERSION = '2023-06-01'

/** The codec for a target: the caller's own format if the target speaks it, otherwise the target's dialect. */
export function codecFor(target: ChatTarget, call: AskedChat): ChatCodec {
  const { request, native } = call
  const isChanged = Boolean(request.post_hooks?.length || native?.isAnswerGuarded)
  const overResponses = speaksResponses(target, call)
  const isOwn = native !== undefined && (overResponses ? native.format === 'responses' : isOwnOf(native, target, call))
  if (native?.untranslatable?.length && !isOwn) throw cannotSay(native, target)
  const codec = overResponses ? responsesCodec(target, native, isChanged) : chatCodecOf(target.provider)
  if (!native || (overResponses && isOwn)) return codec
  if (isOwn && native.format === 'completions') return completionsCodec(codec, native)
  const { carry, encode, events } = OWN_FORMATS[native.format]
  if (isChanged || native.isStale || !isOwn || !encode)
    return { ...codec, encode: (call) => encodeStale(codec, call, native, { target, isOwn, carry }) }
  return {
    ...codec,
    encode: (call, to) => encode(call, native, to),
    decode: (text, to) => withReply(codec.decode(text, to), text),
    decoder: (request, to) => events!(codec.decoder(request, to)),
  }
}

function withReply(answer: Answer, text: string): Answer {
  answer.nativeReply = new Internal(recordOf(tryParse(text, parseToSend)))
  return answer
}

function isOwnOf({ format }: NativeAsk, target: ChatTarget, call: ChatCall): boolean {
  const { provider } = target
  if (format === 'completions') return completesText(target, call)
  return OWN_FORMATS[format].dialect !== undefined && OWN_FORMATS[format].dialect === provider.dialect
}

type ForTarget = { target: ChatTarget; isOwn: boolean; carry: OwnFormat['carry'] }

/** The translation of a request, and notes about what the target does not get of it. */
function encodeStale(
  codec: ChatCodec,
  call: ChatCall,
  native: NativeAsk,
  { target, isOwn, carry }: ForTarget,
): Encoded {
  const notes = new Notes()
  const other = isOwn ? undefined : otherTarget(target)
  const request = other ? native.fit?.(call.request, other, notes) : carry?.(call.request, native)
  const encoded = encodeTranslated(codec, request ? { ...call, request } : call, native, target)
  native.noteLost?.(notes, other, native.body)
  return notes.list.length > 0 ? { ...encoded, notes: [...encoded.notes, ...notes.list] } : encoded
}

function otherTarget({ provider, compat, traits }: ChatTarget): OtherTarget {
  return {
    plain: provider.dialect === 'openai',
    keepsMarks: Boolean(compat?.cacheMarks || traits?.cacheBreakpoints),
  }
}

function encodeTranslated(codec: ChatCodec, call: ChatCall, native: NativeAsk, target: ChatTarget): Encoded {
  if (!call.request.web_search_options) return codec.encode(call, target)
  const { call: fitting, note } = fitSearch(call, native, target)
  const { notes, ...encoded } = codec.encode(fitting, target)
  return { ...encoded, notes: note ? [...notes, note] : notes }
}

/** How a client format passes unchanged to providers that speak it. */
type OwnFormat = {
  dialect?: DialectName
  /** Whose models understand everything in it. */
  maker: string
  encode?(call: ChatCall, native: NativeAsk, target: Target): Encoded
  /** Adds to a translated request what only such a provider understands. */
  carry?(request: ChatRequest, native: NativeAsk): ChatRequest
  events?(decoder: ChatDecoder): ChatDecoder
}

const OWN_FORMATS: Record<NativeAsk['format'], OwnFormat> = {
  messages: {
    dialect: 'anthropic',
    maker: 'Anthropic',
    encode: encodeMessages,
    carry: (request, { headers, body }) => ({
      ...withOwnMessagesFields(request, body),
      extra_headers: { ...headers, ...request.extra_headers },
    }),
    events: (decoder) => new NativeEventsDecoder(decoder),
  },
  gemini: {
    dialect: 'gemini',
    maker: 'Google',
    encode: ({ request }, native, target) => ownRequest(request, native, target),
    carry: (request, { body }) => withOwnFields(request, body),
    events: (decoder) => new NativeRepliesDecoder(decoder),
  },
  // The responses format has an endpoint of its own instead: see responses-codec.ts.
  responses: { maker: 'OpenAI' },
  // Not a dialect, but a second endpoint of one: see completions-codec.ts.
  completions: { maker: 'OpenAI' },
  // Always translated: its dialect writes every request anew.
  cohere: { dialect: 'cohere', maker: 'Cohere' },
}

/** The caller's own body, without fields for the gateway and without reasoning that other providers signed. */
function encodeMessages({ request }: ChatCall, native: NativeAsk, target: Target): Encoded {
  const { body, headers = {}, write = (edit) => editValue(body, edit) } = native
  const notes = new Notes()
  const { set, drop: refused } = ownChanges(body, notes)
  const ours = Object.keys(body).filter((field) => body[field] === null || GATEWAY_FIELDS.has(field))
  const wire = {
    method: 'POST' as const,
    url: `${target.baseUrl}/messages`,
    headers: requestHeaders(request, { 'anthropic-version': FORMAT_VERSION, ...headers }),
    body: write({ set: { ...set, model: target.model }, drop: new Set([...ours, ...refused]) }),
  }
  return { wire, notes: notes.list }
}

function cannotSay({ untranslatable, format }: NativeAsk, { provider }: ChatTarget) {
  const { field, type, reason } = untranslatable![0]!
  const msg =
    reason ?? `${provider.name} does not have ${type ? `"${type}"` : 'this'}; ${OWN_FORMATS[format].maker}'s models do`
  return problem('validation_error', {
    message: `${field}: ${msg}`,
    param: field,
    detail: [{ loc: ['body', field], msg, type: 'value_error' }],
  })
}
