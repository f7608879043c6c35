import { Problem, problem } from '../../../contract/problems.ts'
import type { PreTools } from '../hook.ts'
import { OutOfSteps } from '../step-budget.ts'
import { type BlockList, openMachine } from './block-list.ts'
import { searchText } from './search-text.ts'

/** Longer texts are searched in a thread. */
const MAX_SHORT_CHARS = 200_000

/** For each text the index of the word or pattern that it contains, or -1. */
export async function findBlocked(texts: readonly string[], params: BlockList, tools: PreTools): Promise<number[]> {
  return searchShort(texts, params, tools) ?? (await searchLong(texts, params, tools))
}

/** Undefined if the search would block the event loop for too long. */
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
    return await engine('block_patterns', { list: { words, patterns, ignore_case }, texts })
  } catch (error) {
    if (!(error instanceof Problem) || error.code !== 'validation_error') throw error
    throw problem('too_large', { message: error.message })
  }
}
