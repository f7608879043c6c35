import { Problem, problem } from '../../contract/problems.ts'
import { blocked } from '../blocked.ts'
import { type PreTools, preHook } from '../hook.ts'
import { textsOf } from '../message-texts.ts'
import { BlockList, blockListFaults, nameOf, openMachine } from '../patterns/block-list.ts'
import { searchText } from '../patterns/search-text.ts'
import { OutOfSteps } from '../step-budget.ts'

/** Longer texts are searched in a thread. */
const MAX_SHORT_CHARS = 200_000

export default preHook({
  description: 'Looks for words and patterns in the texts of all messages.',
  params: BlockList,
  rules: blockListFaults,
  async run(request, params, tools) {
    const texts = request.messages.flatMap(textsOf)
    const found = searchShort(texts, params, tools) ?? (await searchLong(texts, params, tools))
    for (const one of found) {
      if (one < 0) continue
      if (params.mode !== 'flag') throw blocked(nameOf(one, params), tools.loc)
      tools.flag(nameOf(one, params))
    }
    return request
  },
})

/** Undefined: it takes longer than the event loop should be held up. */
function searchShort(texts: readonly string[], params: BlockList, { shortWork }: PreTools): number[] | undefined {
  const chars = texts.reduce((sum, { length }) => sum + length, 0)
  if (chars > MAX_SHORT_CHARS) return undefined
  try {
    shortWork.spend(chars / 2)
    const machine = openMachine(params, shortWork)
    return texts.map((text) => searchText(machine, text))
  } catch (error) {
    if (error instanceof OutOfSteps) return undefined
    throw error
  }
}

async function searchLong(texts: readonly string[], params: BlockList, { engine }: PreTools): Promise<number[]> {
  const { words, patterns, ignore_case } = params
  try {
    return await engine('patterns', { list: { words, patterns, ignore_case }, texts })
  } catch (error) {
    if (!(error instanceof Problem) || error.code !== 'validation_error') throw error
    throw problem('too_large', { message: error.message })
  }
}
