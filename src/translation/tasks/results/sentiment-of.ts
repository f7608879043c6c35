import { score } from '../fields/score.ts'

/** Maps a provider's sentiment to our three; a provider that reports mixed sentiment is asked for both poles instead. */
export function sentimentOf(word: string): 'Positive' | 'Negative' | 'Neutral' {
  const plain = word.toLowerCase()
  if (plain === 'positive') return 'Positive'
  return plain === 'negative' ? 'Negative' : 'Neutral'
}

/** Mixed sentiment is not neutral: the stronger of the two poles stands for it. */
export function strongerPole({ positive, negative }: { positive: number; negative: number }) {
  return negative > positive
    ? { sentiment: 'Negative' as const, sentiment_rate: score(negative) }
    : { sentiment: 'Positive' as const, sentiment_rate: score(positive) }
}
