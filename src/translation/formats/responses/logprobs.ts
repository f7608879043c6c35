import { type Fields, recordsIn } from '../../../base/schema/record.ts'

/** The probabilities of the tokens of all texts, as a choice of a chat has them. */
export function logprobsIn(output: readonly Fields[]): { logprobs?: Fields } {
  const texts = output.flatMap(({ type, content }) => (type === 'message' ? recordsIn(content) : []))
  const tokens = texts.flatMap(({ logprobs }) => recordsIn(logprobs))
  return tokens.length > 0 ? { logprobs: chatLogprobs(tokens) } : {}
}

export function chatLogprobs(tokens: readonly Fields[]): Fields {
  return { content: tokens.map((token) => ({ ...token, top_logprobs: recordsIn(token.top_logprobs) })), refusal: null }
}
