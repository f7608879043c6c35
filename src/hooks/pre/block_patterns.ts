import { blocked } from '../blocked.ts'
import { preHook } from '../hook.ts'
import { textsOf } from '../message-texts.ts'
import { BlockList, blockListIssues, nameOf } from '../patterns/block-list.ts'
import { findBlocked } from '../patterns/find-blocked.ts'

export default preHook({
  description: 'Searches the texts of all messages for words and patterns.',
  params: BlockList,
  rules: blockListIssues,
  async run(request, params, tools) {
    const texts = request.messages.flatMap(textsOf)
    for (const one of await findBlocked(texts, params, tools)) {
      if (one < 0) continue
      if (params.mode !== 'flag') throw blocked(nameOf(one, params), tools.loc)
      tools.flag(nameOf(one, params))
    }
    return request
  },
})
