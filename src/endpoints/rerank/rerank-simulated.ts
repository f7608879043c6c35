import type { Ranking } from '../../translation/dialects/rerank-wires/rerank-codec.ts'

/** The sandbox counts the words of the query that a document has. Equal input gives equal scores. */
export function simulatedRanking(query: string, documents: readonly string[]): Ranking {
  const queryWords = new Set(wordsOf(query))
  const results = documents.map((document, index) => {
    const present = new Set(wordsOf(document).filter((word) => queryWords.has(word)))
    return { index, score: queryWords.size === 0 ? 0 : present.size / queryWords.size }
  })
  return { results, searchUnits: 1 }
}

function wordsOf(text: string): string[] {
  return text.toLowerCase().match(/[\p{L}\p{N}]+/gu) ?? []
}
