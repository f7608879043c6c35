const SEGMENTER = new Intl.Segmenter('en', { granularity: 'sentence' })
/** After these a full stop ends no sentence. */
const ABBREVIATION = /(?:^|[\s(])(?:Mr|Mrs|Ms|Dr|Prof|St|vs|etc|e\.g|i\.e|No|Inc|Ltd|[A-Z])\.$/
/** The longest of them with its full stop and the character before it: more is not looked at, however many there are. */
const ABBREVIATION_LENGTH = 6

/** The sentences of a text, without the blanks around them. */
export function sentencesIn(text: string): string[] {
  const sentences: string[] = []
  let start = 0
  for (const { segment, index } of SEGMENTER.segment(text)) {
    if (ABBREVIATION.test(segment.trimEnd().slice(-ABBREVIATION_LENGTH))) continue
    const end = index + segment.length
    sentences.push(text.slice(start, end).trim())
    start = end
  }
  return [...sentences, text.slice(start).trim()].filter((sentence) => sentence !== '')
}
