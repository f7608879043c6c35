import type { ChatChunk } from '../contract/chat-reply.ts'
import { keepEvents, keepReply, type NativeAsk, type NativeEvent } from '../contract/messages-native.ts'
import { problem } from '../contract/problems.ts'
import { UpstreamProblem } from '../wire/upstream-problem.ts'
import type { WireEvent } from '../wire/wire.ts'
import { requestHeaders } from '../dialects/request/request-headers.ts'
import { GATEWAY_FIELDS } from '../dialects/request/gateway-fields.ts'
import type { ChatCall, ChatCodec, Encoded, Target } from '../dialects/dialect.ts'
import { ownChanges } from '../formats/messages/own-body.ts'
import { editValue } from '../json/edit-json.ts'
import { tryParse } from '../json/try-parse.ts'
import { valueBytes } from '../json/value-bytes.ts'
import { chatCodecOf } from './chat-codec-of.ts'
import { responsesCodec, speaksResponses } from './responses-codec.ts'
import type { ChatTarget } from '../routing/route.ts'
import { WrappedDecoder } from './wrapped-decoder.ts'

/** A call that may also be known in the words of another format. */
export type NativeCall = ChatCall & { native?: NativeAsk | undefined }

/** Of the messages format. */
export const FORMAT_VERSION = '2023-06-01'

/** How a target is spoken to: in the caller's own words where it understands them, else in its dialect. */
export function codecFor(target: ChatTarget, { request, native }: NativeCall): ChatCodec {
  const isChanged = Boolean(request.post_hooks?.length)
  if (speaksResponses(target, native)) return responsesCodec(native, isChanged)
  if (native?.unsayable?.length) throw cannotSay(native.unsayable[0]!, target)
  const codec = chatCodecOf(target.provider)
  if (isChanged || native?.format !== 'messages' || target.provider.dialect !== 'anthropic') return codec
  return {
    ...codec,
    encode: (call, to) => encodeMessages(call, native, to),
    decode: (text) => keepReply(codec.decode(text), tryParse(text) as Record<string, unknown>),
    decoder: (request) => new FollowedDecoder(codec.decoder(request)),
  }
}

/** The body as the caller wrote it, without what steers the gateway and what other providers signed. */
function encodeMessages({ request }: ChatCall, native: NativeAsk, target: Target): Encoded {
  const { body, headers = {}, write = (edit) => editValue(body, edit) } = native
  const set = { ...ownChanges(body), model: target.model }
  const drop = new Set(Object.keys(body).filter((field) => body[field] === null || GATEWAY_FIELDS.has(field)))
  const wire = {
    method: 'POST' as const,
    url: `${target.baseUrl}/messages`,
    headers: requestHeaders(request, { 'anthropic-version': FORMAT_VERSION, ...headers }),
    body: write({ set, drop }),
  }
  return { wire, notes: [] }
}

/** Of events that say nothing in our own words: more of them in a row, and nothing will be said any more. */
const MAX_SILENT_BYTES = 16_000_000

/** Events that say nothing in our own words travel with the next that does. */
export class FollowedDecoder extends WrappedDecoder {
  #events: NativeEvent[] = []
  #bytes = 0

  feed(event: WireEvent): ChatChunk[] {
    const chunks = this.inner.feed(event)
    const value = tryParse(event.data)
    if (isNativeEvent(value)) this.#keep(value, chunks.length > 0)
    return chunks.map((chunk, at) => keepEvents(chunk, at === 0 ? this.#events.splice(0) : []))
  }

  #keep(value: NativeEvent, isReported: boolean): void {
    this.#events.push(value)
    this.#bytes = isReported ? 0 : this.#bytes + valueBytes(value)
    if (this.#bytes > MAX_SILENT_BYTES)
      throw new UpstreamProblem('garbage', 'the provider sends events that say nothing')
  }
}

function isNativeEvent(value: unknown): value is NativeEvent {
  return typeof value === 'object' && value !== null && typeof (value as NativeEvent).type === 'string'
}

function cannotSay(field: string, { provider }: ChatTarget) {
  const msg = `${provider.name} does not have this; models of OpenAI do`
  return problem('validation_error', {
    message: `${field}: ${msg}`,
    param: field,
    detail: [{ loc: ['body', field], msg, type: 'value_error' }],
  })
}
