import type { ChatRequest } from '../../../contract/chat.ts'
import type { RequestFields } from '../request/request-fields.ts'
import { requestHeaders } from '../request/request-headers.ts'
import type { Target } from '../chat-codec.ts'
import { pathSegment } from '../../wire/path-segment.ts'
import { toText } from '../../../base/schema/to-primitive.ts'

/** Vertex AI has the same path suffix below a longer base URL, and differs in a few fields. */
export function isVertex({ baseUrl }: Target): boolean {
  return baseUrl.endsWith('/publishers/google')
}

export function urlFor({ stream }: ChatRequest, { baseUrl, model }: Target): string {
  return `${baseUrl}/models/${pathSegment(model)}:${stream ? 'streamGenerateContent?alt=sse' : 'generateContent'}`
}

const SHARED_TIERS: ReadonlySet<unknown> = new Set(['flex', 'priority'])

/** Vertex expects the tier as a header, AI Studio in the body. */
export function headersFor(
  request: ChatRequest,
  { service_tier }: RequestFields,
  target: Target,
): Record<string, string> {
  if (!isVertex(target) || !SHARED_TIERS.has(service_tier)) return requestHeaders(request)
  return requestHeaders(request, { 'x-vertex-ai-llm-shared-request-type': toText(service_tier) })
}
