import { blocked } from '../blocked.ts'
import { preHook } from '../hook.ts'
import { textsOf } from '../message-texts.ts'
import { BlockList, blockListFaults, nameOf, openSearch } from '../patterns/block-list.ts'
import { searchText } from '../patterns/search-text.ts'

export default preHook({
  description: 'Looks for words and patterns in the texts of all messages.',
  params: BlockList,
  rules: blockListFaults,
  async run(request, params, tools) {
    const search = openSearch(params)
    for (const text of request.messages.flatMap(textsOf)) {
      const found = await searchText(search, text)
      if (found < 0) continue
      if (params.mode !== 'flag') throw blocked(nameOf(found, params), tools.loc)
      tools.flag(nameOf(found, params))
    }
    return request
  },
})
