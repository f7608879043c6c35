/** Maps a provider's sentiment to our three; mixed sentiment is neutral. */
export function sentimentOf(word: string): 'Positive' | 'Negative' | 'Neutral' {
  const plain = word.toLowerCase()
  if (plain === 'positive') return 'Positive'
  return plain === 'negative' ? 'Negative' : 'Neutral'
}
