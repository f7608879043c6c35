import type { ChatCompletion } from '../contract/chat-reply.ts'
import { keepReply, type NativeAsk } from '../contract/native-call.ts'
import { problem } from '../contract/problems.ts'
import { errorEvent } from '../dialects/answer/error-event.ts'
import { notAnAnswer } from '../dialects/answer-problems.ts'
import { requestHeaders } from '../dialects/request/request-headers.ts'
import { GATEWAY_FIELDS } from '../dialects/request/gateway-fields.ts'
import type { ChatCall, ChatCodec, Encoded, Target } from '../dialects/chat-codec.ts'
import { DIALECTS } from '../dialects/index.ts'
import { ownBody } from '../formats/responses/own-body.ts'
import { isResponse, readResponse } from '../formats/responses/read-response.ts'
import { ResponseDecoder } from '../formats/responses/response-decoder.ts'
import { tryParse } from '../json/try-parse.ts'
import { NativeEventsDecoder } from './native-events-decoder.ts'
import type { ChatTarget } from '../routing/route.ts'

const SEALED_REASONING = 'reasoning.encrypted_content'

/** The responses format is used if the model has no other, or if no other format can express the request. */
export function speaksResponses({ entry, provider }: ChatTarget, native: NativeAsk | undefined): boolean {
  if (provider.simulated) return false
  if (entry?.type === 'responses') return true
  const hasEndpoint = provider.openaiEndpoints?.includes('responses') ?? false
  return hasEndpoint && native?.format === 'responses' && Boolean(native.untranslatable?.length)
}

/** The codec of a provider's `/responses` endpoint. It keeps the provider's own events, unless hooks change the answer. */
export function responsesCodec(native: NativeAsk | undefined, isChanged: boolean): ChatCodec {
  const { problem: problemOf } = DIALECTS.openai.chat
  return {
    encode: (call, target) => encode(call, native, target),
    decode: (text) => decode(text, isChanged),
    decoder: () => (isChanged ? new ResponseDecoder() : new NativeEventsDecoder(new ResponseDecoder())),
    problem: problemOf,
  }
}

/** Nothing is stored at the provider: the input has the whole conversation, and reasoning is returned encrypted. */
function encode({ request }: ChatCall, native: NativeAsk | undefined, target: Target): Encoded {
  if (!native) throw onlyUnchanged()
  const kept = Object.entries(ownBody(native.body)).filter(([field, value]) => value != null && !OWN_FIELDS.has(field))
  const include = Array.isArray(native.body.include) ? native.body.include : []
  const fixed = { model: target.model, store: false, include: [...new Set([...include, SEALED_REASONING])] }
  const body = JSON.stringify({ ...Object.fromEntries(kept), ...fixed })
  const wire = { method: 'POST' as const, url: `${target.baseUrl}/responses`, headers: requestHeaders(request), body }
  return { wire, notes: [] }
}

const OWN_FIELDS: ReadonlySet<string> = new Set([...GATEWAY_FIELDS, 'previous_response_id', 'store'])

function decode(text: string, isChanged: boolean): ChatCompletion {
  const value = tryParse(text)
  if (!isResponse(value)) throw errorEvent({ data: text }, value) ?? notAnAnswer(text, 'a response')
  const completion = readResponse(value)
  return isChanged ? completion : keepReply(completion, value)
}

function onlyUnchanged() {
  const msg = 'Hooks cannot change a request to a model that its provider serves in the responses format only'
  return problem('validation_error', {
    message: msg,
    param: 'pre_hooks',
    detail: [{ loc: ['body', 'pre_hooks'], msg, type: 'value_error' }],
  })
}
