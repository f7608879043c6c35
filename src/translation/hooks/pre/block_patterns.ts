import { blocked } from '../blocked.ts'
import { preHook } from '../hook.ts'
import { BlockList, blockListIssues, nameOf } from '../patterns/block-list.ts'
import { findBlocked } from '../patterns/find-blocked.ts'
import { requestTexts } from '../texts/request-texts.ts'

export default preHook({
  description:
    'Searches all texts of the request for words and patterns: messages with the arguments of earlier tool calls, tools, the ' +
    'format of the answer, and fields that are passed to the provider. Images, files and audio are not searched.',
  params: BlockList,
  rules: blockListIssues,
  async run(request, params, tools) {
    for (const one of await findBlocked(requestTexts(request), params, tools)) {
      if (one < 0) continue
      if (params.mode !== 'flag') throw blocked(nameOf(one, params), tools.loc)
      tools.flag(nameOf(one, params))
    }
    return request
  },
})
