import type { Usage } from '../../contract/chat-reply.ts'
import { countOf, type Fields, isRecord, recordOf } from '../../schema/record.ts'

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
  if (!isRecord(value) || typeof value.input_tokens !== 'number' || typeof value.output_tokens !== 'number')
    return undefined
  const { input_tokens, output_tokens } = value
  const usage: Usage & Fields = {
    prompt_tokens: input_tokens,
    completion_tokens: output_tokens,
    total_tokens: input_tokens + output_tokens,
    prompt_tokens_details: recordOf(value.input_tokens_details) as Fields,
    completion_tokens_details: recordOf(value.output_tokens_details) as Fields,
    hosted_tools: used,
    web_search_requests: used.filter((name) => name === 'web_search').length,
  }
  return usage
}
