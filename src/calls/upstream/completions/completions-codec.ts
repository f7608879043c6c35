import type { AnswerChunk } from '../../../translation/wire/answer.ts'
import type { CompletionsRequest } from '../../../contract/legacy/completions.ts'
import type { NativeAsk } from '../../../translation/wire/native-ask.ts'
import { WrappedDecoder } from '../../../translation/dialects/answer/wrapped-decoder.ts'
import type { ChatCall, ChatCodec, Encoded } from '../../../translation/dialects/chat-codec.ts'
import { GATEWAY_FIELDS } from '../../../translation/dialects/request/gateway-fields.ts'
import { requestHeaders } from '../../../translation/dialects/request/request-headers.ts'
import { providerEchoes } from '../../../translation/formats/completions/to-chat.ts'
import { tryParse } from '../../../translation/json/try-parse.ts'
import type { ChatTarget } from '../../routing/chat-targets.ts'
import { type Fields, isRecord, recordOf } from '../../../base/schema/record.ts'
import type { WireEvent } from '../../../translation/wire/wire.ts'
import { writeJson } from '../../../translation/json/written-numbers.ts'

// OpenAI's endpoint for text completions, for models that complete text. Its answers are read as those of a chat, so that
// fallbacks, hooks and billing work as they do for one.

/** Whether the target has the endpoint for this call. A hook may have added an instruction, which only a chat can have. */
export function completesText({ provider, entry }: ChatTarget, { request }: ChatCall): boolean {
  if (provider.dialect !== 'openai' || provider.simulated) return false
  const isKnown = entry?.completions ?? provider.completions
  return (
    isKnown === true && request.messages.every(({ role, content }) => role === 'user' && typeof content === 'string')
  )
}

export function completionsCodec(codec: ChatCodec, { body }: NativeAsk): ChatCodec {
  return {
    ...codec,
    choices: 'many',
    encode: (call, target) => encode(call, body, target),
    decode: (text, target) => codec.decode(asChat(text, 'message'), target),
    decoder: (request, target) => {
      const n = (request.n ?? 1) * request.messages.length
      return new TextDecoder(codec.decoder({ ...request, n }, target))
    },
  }
}

/** The prompts are those of the chat, because hooks may have changed them. */
function encode({ request }: ChatCall, body: Fields, target: Pick<ChatTarget, 'baseUrl' | 'model'>): Encoded {
  const own = Object.entries(body).filter(([field, value]) => value != null && !GATEWAY_FIELDS.has(field))
  const { echo: _, stream_options, metadata: __, ...fields } = Object.fromEntries(own)
  const prompts = request.messages.map(({ content }) => content)
  const sent = {
    ...fields,
    n: request.n ?? undefined,
    ...(providerEchoes(body as CompletionsRequest) && { echo: true }),
    ...(request.stream && { stream_options: { ...recordOf(stream_options), include_usage: true } }),
    ...request.extra_body,
    prompt: prompts.length === 1 ? prompts[0] : prompts,
    model: target.model,
  }
  const url = `${target.baseUrl}/completions`
  const wire = { method: 'POST' as const, url, headers: requestHeaders(request), body: writeJson(sent, body) }
  return { wire, notes: [] }
}

class TextDecoder extends WrappedDecoder {
  protected read(event: WireEvent): AnswerChunk[] {
    return this.inner.feed({ ...event, data: asChat(event.data, 'delta') })
  }
}

/** The answer as one of a chat. An answer that is not a completion is left for the reader of chats to refuse. */
function asChat(text: string, member: 'message' | 'delta'): string {
  const value = tryParse(text)
  if (!isRecord(value) || !Array.isArray(value.choices)) return text
  const choices = value.choices.map((choice) => {
    if (!isRecord(choice) || typeof choice.text !== 'string') return choice
    const { text: content, ...rest } = choice
    return { ...rest, [member]: { content } }
  })
  const object = member === 'delta' ? 'chat.completion.chunk' : 'chat.completion'
  return JSON.stringify({ ...value, object, choices })
}
