import { ChatRequest } from '../contract/chat.ts'
import { MessagesRequest } from '../contract/messages.ts'
import { ResponsesRequest } from '../contract/responses.ts'
import { FORMAT_VERSION, type NativeCall } from './native-codec.ts'

// A provider may refuse a request, or break over it, because of what its caller added on its own account. Such a failure
// says nothing about how the provider treats others.

/** Members whose content goes to the provider unread. */
const FREE: ReadonlySet<string> = new Set(['extra_headers', 'extra_body', 'provider_params'])

/** Any other is a queue of its own, which may be full while everybody else is served. */
const DEFAULT_TIERS: ReadonlySet<unknown> = new Set(['auto', 'default', 'standard_only'])

/** Whether headers or fields go to the provider that are none of this endpoint's own, or that few others send. */
export function isCustomized(body: object, { properties }: { properties: object }): boolean {
  for (const field in body) {
    const value = body[field as keyof object] as unknown
    if (value == null) continue
    if (field === 'service_tier' && !DEFAULT_TIERS.has(value)) return true
    if (FREE.has(field) ? Object.keys(value).length > 0 : !Object.hasOwn(properties, field)) return true
  }
  return false
}

/** The same of a chat, in whichever format it came. */
export function isCustomizedChat({ request, native }: NativeCall): boolean {
  if (!native) return isCustomized(request, ChatRequest)
  if (Object.values(native.headers ?? {}).some((value) => value !== FORMAT_VERSION)) return true
  return isCustomized(native.body, native.format === 'messages' ? MessagesRequest : ResponsesRequest)
}
