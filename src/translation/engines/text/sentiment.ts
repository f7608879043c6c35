import { sentencesIn } from './sentences.ts'
import { scoreSentence } from './sentiment-score.ts'

/** From -1 (negative) to 1 (positive): every sentence, and the mean of all. */
export function feelText({ text }: { text: string }) {
  const sentences = sentencesIn(text).map((sentence) => ({ text: sentence, score: scoreSentence(sentence) }))
  const sum = sentences.reduce((total, { score }) => total + score, 0)
  return { whole: sentences.length === 0 ? 0 : sum / sentences.length, sentences }
}
