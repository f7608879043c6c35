import type { PatternMachine } from './pattern-machine.ts'
import { PatternSearch } from './pattern-search.ts'

/** Returns the index of the pattern that the text contains, or -1. */
export function searchText(machine: PatternMachine, text: string): number {
  const search = new PatternSearch(machine)
  for (let at = 0; at < text.length; at++) if (search.next(text.charCodeAt(at)) >= 0) break
  return search.end()
}
