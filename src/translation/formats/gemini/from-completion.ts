import { type Answer, type AnswerChoice, type AnswerMessage, Internal } from '../../wire/answer.ts'
import type { GenerateContentReply } from '../../../contract/gemini/generate-content.ts'
import { type Fields, textOf } from '../../../base/schema/record.ts'
import { answerParts } from './answer-parts.ts'
import { finishReason } from './finish-reason.ts'
import { googleMetadata, googleParts, isOfGoogle } from './google-parts.ts'
import { groundingOf } from './grounding.ts'
import { logprobsResult } from './logprobs.ts'
import { usageMetadata } from './usage.ts'

/** A complete answer in this format. If Google gave it, it is Google's own, with the cost. */
export function fromCompletion(completion: Answer): GenerateContentReply {
  const { model, cost = null, provider = '', gatehouse } = completion
  const ours = { cost, provider, ...(gatehouse && { gatehouse }) }
  const native = Internal.read(completion.nativeReply)
  if (native) return { ...native, ...ours }
  return {
    candidates: completion.choices.map((choice) => candidateOf(choice, provider)),
    usageMetadata: usageMetadata(completion.usage),
    modelVersion: model,
    responseId: completion.id,
    ...ours,
  }
}

function candidateOf({ index, message, finish_reason, logprobs }: AnswerChoice, provider: string): Fields {
  const isGoogles = isOfGoogle(message)
  const parts = isGoogles ? googleParts(message) : answerParts(message, provider)
  return {
    content: { role: 'model', parts },
    finishReason: finishReason(finish_reason),
    index,
    ...(isGoogles ? googleMetadata(message) : sourcesOf(message)),
    ...logprobsResult(logprobs),
  }
}

function sourcesOf({ annotations, content }: AnswerMessage): Fields {
  return groundingOf(annotations, textOf(content))
}
