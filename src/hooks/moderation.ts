import Type, { type Static } from '../schema/type.ts'
import { optional, words } from '../schema/fields.ts'
import { blocked } from './blocked.ts'
import { closedParams } from './closed-params.ts'
import type { PreTools } from './hook.ts'
import { providerParams, taskOf } from './task-params.ts'

const THRESHOLD = 0.5

const MODERATION = {
  ...providerParams,
  mode: optional(words(['block', 'flag']), 'Whether to stop the call, or to let it pass and note it in the metadata.', {
    default: 'block',
  }),
  threshold: optional(
    Type.Number({ minimum: 0, maximum: 1 }),
    'The score from which a finding counts; the scores are those of `text/moderation`.',
    { default: THRESHOLD },
  ),
}

export const AnswerModeration = closedParams(MODERATION)
export type AnswerModeration = Static<typeof AnswerModeration>

export const RequestModeration = closedParams({
  ...MODERATION,
  messages: optional(
    words(['new', 'all']),
    'What to look at: what came after the last answer of the model, or the whole conversation without system prompts.',
    { default: 'new' },
  ),
})

export const moderationTask = (params: AnswerModeration) => taskOf('text/moderation', params)

/** As much of the task's output as decides. */
type Finding = { label: string; likelihood_score: number }

/** Has a text judged. Throws, or notes it, when something in it is found. */
export async function moderate(text: string, params: AnswerModeration, tools: PreTools): Promise<void> {
  if (text.trim() === '') return
  const output = await tools.task(moderationTask(params), { text })
  const threshold = params.threshold ?? THRESHOLD
  const found = (output as { items: Finding[] }).items.filter((item) => item.likelihood_score >= threshold)
  const labels = found.sort((one, other) => other.likelihood_score - one.likelihood_score).map(({ label }) => label)
  if (labels.length === 0) return
  if (params.mode !== 'flag') throw blocked(`moderation found ${labels.join(', ')}`, tools.loc)
  for (const label of labels) tools.flag(label)
}
