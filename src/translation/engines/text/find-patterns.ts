import type { WordsAndPatterns } from '../../engine-api/engines.ts'
import { openMachine } from '../../hooks/patterns/block-list.ts'
import { searchText } from '../../hooks/patterns/search-text.ts'
import { inSteps } from '../pool/in-steps.ts'

/** Searches for words and patterns in texts that are too long, or too slow to search, for the event loop. */
export function findPatterns({ list, texts }: { list: WordsAndPatterns; texts: readonly string[] }): number[] {
  return inSteps('The patterns take too long on texts of this size. Simplify them.', (budget) => {
    const machine = openMachine(list, budget)
    return texts.map((text) => searchText(machine, text))
  })
}
