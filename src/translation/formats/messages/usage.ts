import type { Usage } from '../../../contract/chat-reply.ts'
import { countOf } from '../../../base/schema/record.ts'

/** In this format, tokens of a cache are counted in addition to the input, not as a part of it. */
export function messageUsage(usage: Usage | null | undefined) {
  const { prompt_tokens_details: read, completion_tokens_details: written } = usage ?? {}
  const cache_read_input_tokens = countOf(read?.cached_tokens)
  const cache_creation_input_tokens = countOf(read?.cache_write_tokens)
  const input = countOf(usage?.prompt_tokens) - cache_read_input_tokens - cache_creation_input_tokens
  const thinking_tokens = countOf(written?.reasoning_tokens)
  return {
    input_tokens: Math.max(0, input),
    cache_creation_input_tokens,
    cache_read_input_tokens,
    output_tokens: countOf(usage?.completion_tokens),
    ...(thinking_tokens > 0 && { output_tokens_details: { thinking_tokens } }),
  }
}
