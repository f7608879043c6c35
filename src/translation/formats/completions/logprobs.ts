import { isRecord, listOf, recordsIn } from '../../../base/schema/record.ts'
import { toText } from '../../../base/schema/to-primitive.ts'

/** Probabilities in the form of text completions. Providers of that form already send it. */
export function legacyLogprobs(logprobs: unknown, offset: number): Record<string, unknown> | null {
  if (!isRecord(logprobs)) return null
  if (Array.isArray(logprobs.tokens)) return logprobs
  const content = recordsIn(logprobs.content)
  const tokens = content.map(({ token }) => toText(token ?? ''))
  let at = offset
  return {
    tokens,
    token_logprobs: content.map(({ logprob }) => (typeof logprob === 'number' ? logprob : null)),
    top_logprobs: content.map(({ top_logprobs }) => byToken(top_logprobs)),
    text_offset: tokens.map((token) => {
      const start = at
      at += token.length
      return start
    }),
  }
}

function byToken(list: unknown): Record<string, unknown> | null {
  const entries = listOf(list).flatMap((one) => (isRecord(one) ? [[toText(one.token), one.logprob]] : []))
  return entries.length > 0 ? Object.fromEntries(entries) : null
}
