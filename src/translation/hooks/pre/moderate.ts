import { preHook } from '../hook.ts'
import { isInstruction, newMessages, textsOf } from '../message-texts.ts'
import { moderate, moderationTask, RequestModeration } from '../moderation.ts'

export default preHook({
  description: 'Sends the texts of the conversation to a moderation provider before the model sees them.',
  params: RequestModeration,
  task: moderationTask,
  async run(request, params, tools) {
    const chosen = params.messages === 'all' ? request.messages : newMessages(request)
    const texts = chosen.filter((message) => !isInstruction(message)).flatMap(textsOf)
    await moderate(texts.join('\n\n'), params, tools)
    return request
  },
})
