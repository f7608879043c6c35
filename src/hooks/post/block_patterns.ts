import { blocked } from '../blocked.ts'
import { filterHook } from '../hook.ts'
import { blockFilter, flagFilter } from '../patterns/block-filter.ts'
import { BlockList, blockListFaults, nameOf, openSearch } from '../patterns/block-list.ts'

export default filterHook({
  description:
    'Looks for words and patterns in the answer, the arguments of tool calls included. Of a stream only what may be the ' +
    'beginning of a match is held back, 2,000 characters at most.',
  params: BlockList,
  rules: blockListFaults,
  open(params, tools) {
    return () =>
      params.mode === 'flag'
        ? flagFilter(openSearch(params), (found) => tools.flag(nameOf(found, params)))
        : blockFilter(openSearch(params), (found) => {
            throw blocked(nameOf(found, params), tools.loc)
          })
  },
})
