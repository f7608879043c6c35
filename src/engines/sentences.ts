const SEGMENTER = new Intl.Segmenter('en', { granularity: 'sentence' })
/** After these a full stop ends no sentence. */
const ABBREVIATION = /(?:^|[\s(])(?:Mr|Mrs|Ms|Dr|Prof|St|vs|etc|e\.g|i\.e|No|Inc|Ltd|[A-Z])\.\s*$/

/** The sentences of a text, without the blanks around them. */
export function sentencesIn(text: string): string[] {
  const sentences: string[] = []
  let begun = ''
  for (const { segment } of SEGMENTER.segment(text)) {
    begun += segment
    if (ABBREVIATION.test(begun)) continue
    sentences.push(begun.trim())
    begun = ''
  }
  return [...sentences, begun.trim()].filter((sentence) => sentence !== '')
}
