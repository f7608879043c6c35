import { type AnswerDelta, type AnswerMessage, Internal } from '../../wire/answer.ts'

/** The reasoning, and the plan after it. */
export function splitPlan({ reasoning_content, planStart }: AnswerMessage | AnswerDelta): {
  reasoning: string
  plan: string
} {
  const all = reasoning_content ?? ''
  const start = Internal.read(planStart) ?? all.length
  return { reasoning: all.slice(0, start), plan: all.slice(start) }
}
