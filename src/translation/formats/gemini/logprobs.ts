import { type Fields, isRecord, recordsIn } from '../../../base/schema/record.ts'

/** Probabilities of tokens, as this format lists them. */
export function logprobsResult(logprobs: unknown): { logprobsResult?: Fields } {
  const tokens = isRecord(logprobs) ? recordsIn(logprobs.content) : []
  if (tokens.length === 0) return {}
  return {
    logprobsResult: {
      chosenCandidates: tokens.map(candidate),
      topCandidates: tokens.map(({ top_logprobs }) => ({ candidates: recordsIn(top_logprobs).map(candidate) })),
    },
  }
}

function candidate({ token, logprob }: Fields): Fields {
  return { token, logProbability: logprob }
}
