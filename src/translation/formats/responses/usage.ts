import type { Usage } from '../../../contract/chat-reply.ts'
import { CountReader } from '../../dialects/answer/count-reader.ts'
import { countOf, type Fields, isRecord, recordOf } from '../../../base/schema/record.ts'

export function responseUsage(usage: Usage) {
  const { prompt_tokens, completion_tokens, total_tokens } = usage
  return {
    input_tokens: prompt_tokens,
    input_tokens_details: {
      cached_tokens: countOf(usage.prompt_tokens_details?.cached_tokens),
      cache_write_tokens: countOf(usage.prompt_tokens_details?.cache_write_tokens),
    },
    output_tokens: completion_tokens,
    output_tokens_details: { reasoning_tokens: countOf(usage.completion_tokens_details?.reasoning_tokens) },
    total_tokens,
  }
}

/** The usage of a provider of this format, in our own format, with the tools that it used: they may have fees. */
export function readUsage(value: unknown, used: readonly string[]): Usage | undefined {
  if (!isRecord(value) || value.input_tokens == null || value.output_tokens == null) return undefined
  const counts = new CountReader()
  const [input_tokens, output_tokens] = [counts.read(value.input_tokens), counts.read(value.output_tokens)]
  const read = recordOf(value.input_tokens_details)
  const cached_tokens = Math.min(counts.read(read.cached_tokens), input_tokens)
  if (!counts.isSound) return undefined
  const { reasoning_tokens } = recordOf(value.output_tokens_details)
  const usage: Usage & Fields = {
    prompt_tokens: input_tokens,
    completion_tokens: output_tokens,
    total_tokens: input_tokens + output_tokens,
    prompt_tokens_details: { ...(read as Fields), cached_tokens },
    completion_tokens_details: { reasoning_tokens: countOf(reasoning_tokens) },
    hosted_tools: used,
    web_search_requests: used.filter((name) => name === 'web_search').length,
  }
  return usage
}
