import { createRequire } from 'node:module'
import { sentencesIn } from './sentences.ts'

type Vader = { SentimentIntensityAnalyzer: { polarity_scores(text: string): { compound: number } } }

const { SentimentIntensityAnalyzer }: Vader = createRequire(import.meta.url)('vader-sentiment')

/** From -1 (displeased) to 1 (pleased): every sentence, and the whole as their mean. */
export function feelText({ text }: { text: string }) {
  const sentences = sentencesIn(text).map((sentence) => {
    return { text: sentence, score: SentimentIntensityAnalyzer.polarity_scores(sentence).compound }
  })
  const sum = sentences.reduce((total, { score }) => total + score, 0)
  return { whole: sentences.length === 0 ? 0 : sum / sentences.length, sentences }
}
