import { answerHook } from '../hook.ts'
import { AnswerTranslation, translate, translationTask } from '../translation.ts'

export default answerHook({
  description:
    'Translates the answer. A stream is held back until it ends, because a part would be translated differently from the whole.',
  params: AnswerTranslation,
  task: translationTask,
  holds: () => true,
  async run(answer, params, tools) {
    const texts = [answer.content, answer.refusal].filter((text) => text !== null)
    const translated = await translate(texts, params, tools)
    const inOther = (text: string | null) => (text === null ? null : (translated.get(text) ?? text))
    return { ...answer, content: inOther(answer.content), refusal: inOther(answer.refusal) }
  },
})
