import { englishDataset, englishRecommendedTransformers, RegExpMatcher } from 'obscenity'
import type { Finding } from '../../engine-api/engines.ts'

const matcher = new RegExpMatcher({ ...englishDataset.build(), ...englishRecommendedTransformers })

/** English swear words and slurs, also with repeated or replaced letters. */
export function findProfanity({ text }: { text: string }): Finding[] {
  const found = matcher.getAllMatches(text, true).map((match) => {
    const { phraseMetadata } = englishDataset.getPayloadWithPhraseMetadata(match)
    return { start: match.startIndex, end: match.endIndex + 1, label: phraseMetadata?.originalWord ?? 'profanity' }
  })
  // Several patterns of the list may match the same word.
  return found.filter(({ start }, index) => start !== found[index - 1]?.start)
}
