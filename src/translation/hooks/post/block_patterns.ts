import { blocked } from '../blocked.ts'
import { filterHook } from '../hook.ts'
import { blockFilter, flagFilter } from '../patterns/block-filter.ts'
import { BlockList, blockListIssues, nameOf, openMachine } from '../patterns/block-list.ts'
import { findBlocked } from '../patterns/find-blocked.ts'
import { PatternSearch } from '../patterns/pattern-search.ts'
import type { PatternMachine } from '../patterns/pattern-machine.ts'
import { inStreamWork } from '../stream-work.ts'

export default filterHook({
  description:
    'Searches the answer, including the arguments of tool calls, for words and patterns. Of a stream only a possible ' +
    'beginning of a match is held back, 2,000 characters at most.',
  params: BlockList,
  rules: blockListIssues,
  wholeText(params, tools) {
    return async (text) => {
      const [found = -1] = await findBlocked([text], params, tools)
      if (found >= 0 && params.mode !== 'flag') throw blocked(nameOf(found, params), tools.loc)
      if (found >= 0) tools.flag(nameOf(found, params))
      return text
    }
  },
  open(params, tools) {
    let machine: PatternMachine | undefined
    return () => {
      machine ??= inStreamWork(() => openMachine(params, tools.streamWork))
      const search = new PatternSearch(machine)
      return params.mode === 'flag'
        ? flagFilter(search, (found) => tools.flag(nameOf(found, params)))
        : blockFilter(search, (found) => {
            throw blocked(nameOf(found, params), tools.loc)
          })
    }
  },
})
