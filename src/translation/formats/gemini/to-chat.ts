import type { ChatRequest } from '../../../contract/chat.ts'
import type { GenerateContentRequest } from '../../../contract/gemini/generate-content.ts'
import { type Fields, textOf } from '../../../base/schema/record.ts'
import { configFields, configOf } from './generation-config.ts'
import { fieldsOf } from './names.ts'
import type { TargetFormats } from './target-formats.ts'
import { toolFields } from './tools.ts'
import { messagesOf } from './turns.ts'
import { keepWritten } from '../../json/written-numbers.ts'

/** What the address of a request says. */
type Addressed = { model: string; stream: boolean }

/** The same call in our own format. Streams always request the usage, because it is part of this format. */
export function toChat(
  body: GenerateContentRequest,
  { model, stream }: Addressed,
  targets: TargetFormats,
): ChatRequest {
  const { fallbacks, router_candidates, routing, pre_hooks, post_hooks, extra_headers, cache_marks } = body
  const fields = fieldsOf(body)
  const request = withoutNulls({
    model,
    fallbacks,
    router_candidates,
    routing,
    pre_hooks,
    post_hooks,
    extra_headers,
    cache_marks,
    messages: messagesOf(body, targets),
    ...configFields(configOf(body)),
    ...toolFields(fields, targets.dialects.includes('gemini')),
    service_tier: TIERS.get(textOf(fields.serviceTier).toLowerCase()),
    ...(stream && { stream: true, stream_options: { include_usage: true } }),
  })
  return keepWritten(request, body)
}

const TIERS: ReadonlyMap<string, ChatRequest['service_tier']> = new Map([
  ['standard', 'default'],
  ['flex', 'flex'],
  ['priority', 'priority'],
])

function withoutNulls(request: Fields): ChatRequest {
  return Object.fromEntries(Object.entries(request).filter(([, value]) => value != null)) as ChatRequest
}
