import { answerHook } from '../hook.ts'
import { AnswerModeration, moderate, moderationTask } from '../moderation.ts'

export default answerHook({
  description:
    'Sends the answer to a moderation provider. With `block`, a stream is held back until it ends; with `flag`, it passes at ' +
    'once and the finding is reported with its last chunk.',
  params: AnswerModeration,
  task: moderationTask,
  holds: ({ mode }) => mode !== 'flag',
  async run(answer, params, tools) {
    const texts = [answer.reasoning_content, answer.content, answer.refusal].filter((text) => text !== null)
    await moderate(texts.join('\n\n'), params, tools)
    return answer
  },
})
