import Type, { type Static } from '../../base/schema/type.ts'
import { optional, words } from '../../base/schema/fields.ts'
import { blocked } from './blocked.ts'
import { closedParams } from './closed-params.ts'
import type { PreTools } from './hook.ts'
import { providerParams, taskOf } from './task-params.ts'

const THRESHOLD = 0.5

const MODERATION = {
  ...providerParams,
  mode: optional(
    words(['block', 'flag']),
    'Whether to block the call, or to let it pass and report it in the metadata.',
    {
      default: 'block',
    },
  ),
  threshold: optional(
    Type.Number({ minimum: 0, maximum: 1 }),
    'The score from which a finding counts. The scores are those of `text/moderation`.',
    { default: THRESHOLD },
  ),
}

export const AnswerModeration = closedParams(MODERATION)
export type AnswerModeration = Static<typeof AnswerModeration>

export const RequestModeration = closedParams({
  ...MODERATION,
  messages: optional(
    words(['new', 'all']),
    'What to check: the messages after the last answer of the model, or the whole conversation without system prompts.',
    { default: 'new' },
  ),
})

export const moderationTask = (params: AnswerModeration) => taskOf('text/moderation', params)

/** The part of the task's output that matters here. */
type Finding = { label: string; likelihood_score: number }

/** Moderates a text. If something is found, it throws or flags it. */
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
