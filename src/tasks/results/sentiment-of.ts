/** The three words of ours for what providers say; mixed feelings are neither the one nor the other. */
export function sentimentOf(word: string): 'Positive' | 'Negative' | 'Neutral' {
  const plain = word.toLowerCase()
  if (plain === 'positive') return 'Positive'
  return plain === 'negative' ? 'Negative' : 'Neutral'
}
