import { type Fields, isRecord, recordsIn, textOf } from '../../../base/schema/record.ts'

export function toLogprobs(value: unknown): Fields | null {
  if (!isRecord(value)) return null
  const alternatives = recordsIn(value.topCandidates)
  const content = recordsIn(value.chosenCandidates).map((chosen, at) => ({
    ...tokenOf(chosen),
    top_logprobs: recordsIn(alternatives[at]?.candidates).map(tokenOf),
  }))
  return { content, refusal: null }
}

function tokenOf({ token, logProbability }: Fields): Fields {
  const text = textOf(token)
  return {
    token: text,
    logprob: typeof logProbability === 'number' ? logProbability : 0,
    bytes: [...Buffer.from(text)],
  }
}
