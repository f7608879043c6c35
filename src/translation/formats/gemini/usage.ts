import type { Usage } from '../../../contract/chat-reply.ts'
import { countOf } from '../../../base/schema/record.ts'

/** In this format, reasoning is counted in addition to the answer. */
export function usageMetadata(usage: Usage | null | undefined) {
  const { prompt_tokens_details: read, completion_tokens_details: written } = usage ?? {}
  const [prompt, completion] = [countOf(usage?.prompt_tokens), countOf(usage?.completion_tokens)]
  const thoughts = Math.min(completion, countOf(written?.reasoning_tokens))
  const cached = countOf(read?.cached_tokens)
  return {
    promptTokenCount: prompt,
    candidatesTokenCount: completion - thoughts,
    ...(thoughts > 0 && { thoughtsTokenCount: thoughts }),
    ...(cached > 0 && { cachedContentTokenCount: cached }),
    totalTokenCount: prompt + completion,
  }
}
