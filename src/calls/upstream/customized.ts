import { ChatRequest } from '../../contract/chat.ts'
import { CohereChatRequest } from '../../contract/cohere/chat.ts'
import { GenerateContentRequest } from '../../contract/gemini/generate-content.ts'
import { CompletionsRequest } from '../../contract/legacy/completions.ts'
import { MessagesRequest } from '../../contract/messages.ts'
import type { NativeAsk } from '../../translation/wire/native-ask.ts'
import { ResponsesRequest } from '../../contract/responses.ts'
import { FORMAT_VERSION, type AskedChat } from './native-codec.ts'

// A provider may refuse a request, or fail, because of headers or fields that the caller added itself. Such a failure says
// nothing about how the provider treats other callers.

/** Fields whose content goes to the provider without being read. */
const FREE: ReadonlySet<string> = new Set(['extra_headers', 'extra_body', 'provider_params'])

/** Any other tier has its own queue at the provider, which may be full while all other callers are served. */
const DEFAULT_TIERS: ReadonlySet<unknown> = new Set(['auto', 'default', 'standard_only'])

/** Whether the provider gets headers or fields that are not part of this endpoint's contract, or that few callers send. */
export function isCustomized(body: object, { properties }: { properties: object }): boolean {
  for (const field in body) {
    const value = body[field as keyof object] as unknown
    if (value == null) continue
    if (field === 'service_tier' && !DEFAULT_TIERS.has(value)) return true
    if (FREE.has(field) ? Object.keys(value).length > 0 : !Object.hasOwn(properties, field)) return true
  }
  return false
}

const CONTRACTS: Record<NativeAsk['format'], { properties: object }> = {
  messages: MessagesRequest,
  responses: ResponsesRequest,
  gemini: GenerateContentRequest,
  completions: CompletionsRequest,
  cohere: CohereChatRequest,
}

/** Like isCustomized, for a chat in any format. */
export function isCustomizedChat({ request, native }: AskedChat): boolean {
  if (!native) return isCustomized(request, ChatRequest)
  if (Object.values(native.headers ?? {}).some((value) => value !== FORMAT_VERSION)) return true
  return isCustomized(native.body, CONTRACTS[native.format])
}
