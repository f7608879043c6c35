import { sentencesIn } from './sentences.ts'
import { scoreSentence } from './sentiment-score.ts'

/** From -1 (displeased) to 1 (pleased): every sentence, and the whole as their mean. */
export function feelText({ text }: { text: string }) {
  const sentences = sentencesIn(text).map((sentence) => ({ text: sentence, score: scoreSentence(sentence) }))
  const sum = sentences.reduce((total, { score }) => total + score, 0)
  return { whole: sentences.length === 0 ? 0 : sum / sentences.length, sentences }
}
