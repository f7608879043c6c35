import type { Message } from '../../../contract/chat.ts'
import { preHook } from '../hook.ts'
import { isInstruction, mapMessageTexts, newMessages, textsOf } from '../message-texts.ts'
import { RequestTranslation, translate, translationTask } from '../translation.ts'

export default preHook({
  description: 'Translates the texts of the conversation before the model sees them.',
  params: RequestTranslation,
  task: translationTask,
  async run(request, params, tools) {
    const chosen = new Set(params.messages === 'new' ? newMessages(request) : request.messages)
    const isChosen = (message: Message) => chosen.has(message) && !isInstruction(message)
    const texts = request.messages.filter(isChosen).flatMap(textsOf)
    const translated = await translate(texts, params, tools)
    return mapMessageTexts(request, (text) => translated.get(text) ?? text, isChosen)
  },
})
