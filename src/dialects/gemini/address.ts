import type { ChatRequest } from '../../contract/chat.ts'
import type { Asked } from '../asked/asked-fields.ts'
import { askedHeaders } from '../asked/asked-headers.ts'
import type { Target } from '../dialect.ts'
import { pathSegment } from '../../contract/path-segment.ts'

/** Vertex AI speaks the same suffix below a longer address, and differs in a few fields. */
export function isVertex({ baseUrl }: Target): boolean {
  return baseUrl.endsWith('/publishers/google')
}

export function urlFor({ stream }: ChatRequest, { baseUrl, model }: Target): string {
  return `${baseUrl}/models/${pathSegment(model)}:${stream ? 'streamGenerateContent?alt=sse' : 'generateContent'}`
}

const SHARED_TIERS: ReadonlySet<unknown> = new Set(['flex', 'priority'])

/** Vertex takes the tier as a header, AI Studio in the body. */
export function headersFor(request: ChatRequest, { service_tier }: Asked, target: Target): Record<string, string> {
  if (!isVertex(target) || !SHARED_TIERS.has(service_tier)) return askedHeaders(request)
  return askedHeaders(request, { 'x-vertex-ai-llm-shared-request-type': String(service_tier) })
}
