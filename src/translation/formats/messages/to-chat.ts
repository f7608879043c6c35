import type { ChatRequest } from '../../../contract/chat.ts'
import type { MessagesRequest } from '../../../contract/messages.ts'
import { isRecord, recordOf } from '../../../base/schema/record.ts'
import { fallbackNames } from './own-fallbacks.ts'
import { thinkingFields } from './thinking.ts'
import { toolFields } from './tools.ts'
import { systemMessages, turnMessages } from './turns.ts'
import { keepWritten } from '../../json/written-numbers.ts'

export const DEFAULT_MAX_TOKENS = 1024
/** Providers of the chat format refuse longer user ids. */
const MAX_USER_CHARS = 64

/** The same call in our own format. Streams always request the usage, because it is part of this format. */
export function toChat(body: MessagesRequest, providers: readonly string[]): ChatRequest {
  const { model, router_candidates, routing, pre_hooks, post_hooks, extra_headers } = body
  const fallbacks = fallbackNames(body)
  const preferences = { fallbacks, router_candidates, routing, pre_hooks, post_hooks, extra_headers }
  const turns = body.messages.flatMap((turn) => turnMessages(turn, providers))
  const request = withoutNulls({
    model,
    ...preferences,
    messages: [...systemMessages(body), ...turns],
    // A limit of 0 only warms a cache. Other formats cannot express that.
    max_tokens: Math.max(1, body.max_tokens ?? DEFAULT_MAX_TOKENS),
    temperature: body.temperature,
    top_p: body.top_p,
    top_k: body.top_k,
    stop: body.stop_sequences?.length ? body.stop_sequences : undefined,
    ...toolFields(body),
    ...thinkingFields(body),
    response_format: formatOf(body),
    service_tier: TIERS.get(body.service_tier),
    user: userOf(body),
    ...(body.stream && { stream: true, stream_options: { include_usage: true } }),
  })
  return keepWritten(request, body)
}

const TIERS: ReadonlyMap<unknown, 'auto' | 'default'> = new Map([
  ['auto', 'auto'],
  ['standard_only', 'default'],
])

function formatOf(body: MessagesRequest): ChatRequest['response_format'] {
  const format = recordOf(body.output_config).format ?? (body as { output_format?: unknown }).output_format
  if (!isRecord(format) || !isRecord(format.schema)) return undefined
  return { type: 'json_schema', json_schema: { name: 'answer', schema: format.schema, strict: true } }
}

function userOf({ metadata }: MessagesRequest): string | undefined {
  const user = metadata?.user_id
  return typeof user === 'string' && user.length <= MAX_USER_CHARS ? user : undefined
}

/** Some providers of the chat format know top_k, which is none of its fields. */
function withoutNulls(request: ChatRequest & Pick<MessagesRequest, 'top_k'>): ChatRequest {
  return Object.fromEntries(Object.entries(request).filter(([, value]) => value != null)) as ChatRequest
}
