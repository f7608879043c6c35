import { type Fields, recordOf, recordsIn, textOf } from '../../../base/schema/record.ts'

/** Probabilities in Cohere's form. Other providers do not say the numbers of the tokens. */
export function cohereLogprobs(logprobs: unknown): Fields[] {
  return recordsIn(recordOf(logprobs).content).map(({ token, logprob }) => {
    return { text: textOf(token), token_ids: [], logprobs: typeof logprob === 'number' ? [logprob] : [] }
  })
}
