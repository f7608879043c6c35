const CHARACTERS_PER_TOKEN = 4

/** Not a tokenizer, but a rule that tests can compute themselves. */
export function estimateTokens(text: string): number {
  return Math.max(1, Math.ceil(text.length / CHARACTERS_PER_TOKEN))
}

export function clipToTokens(text: string, tokens: number): string {
  return clip(text, tokens * CHARACTERS_PER_TOKEN)
}

/** The first characters, without cutting a surrogate pair in half. */
export function clip(text: string, characters: number): string {
  if (text.length <= characters) return text
  const last = text.charCodeAt(characters - 1)
  return text.slice(0, last >= 0xd800 && last <= 0xdbff ? characters - 1 : characters)
}
