// A prompt that is longer than the context of the model. Clients compact the conversation when they see the words or the
// code of the maker of their format, so every format tells it in its own words, whichever provider refused.

export const CONTEXT_OVERFLOW = 'context_length_exceeded'

/** How hosts tell both counts. A count that none of these finds is not told: no number is invented. */
const COUNTS: readonly RegExp[] = [
  /(?<asked>\d{1,10}) tokens > (?<max>\d{1,10}) maximum/,
  /maximum (?:context|prompt) length is (?<max>\d{1,10})\b[^0-9]{1,80}\b(?<asked>\d{1,10})\b/,
  /contains (?<asked>\d{1,10}) tokens[^0-9]{1,60}\b(?<max>\d{1,10}) maximum context/,
  /token count (?:\(|is )(?<asked>\d{1,10})\b[^0-9]{1,60}\b(?<max>\d{1,10})\b/,
  /cannot exceed (?<max>\d{1,10}) - received (?<asked>\d{1,10})/,
  /\((?<asked>\d{1,10}) tokens\)[^0-9]{1,60}context (?:size|length) \((?<max>\d{1,10}) tokens\)/,
]

const OPENAI_WORDS = /context (?:length|window)/i
/** Anthropic counts the answer as well, in words of their own, which its clients read. */
const ANTHROPIC_WORDS = /prompt is too long[\s\S]*|input length and `max_tokens` exceed context limit[\s\S]*/

type Counts = { asked: string; max: string }

export function openaiWords(message: string): string {
  if (OPENAI_WORDS.test(message)) return message
  const counts = countsIn(message)
  if (!counts) return `Your input exceeds the context window of this model. ${message}`
  const { asked, max } = counts
  return `This model's maximum context length is ${max} tokens. However, your messages resulted in ${asked} tokens. Please reduce the length of the messages.`
}

export function anthropicWords(message: string): string {
  const counts = countsIn(message)
  if (counts) return `prompt is too long: ${counts.asked} tokens > ${counts.max} maximum`
  return ANTHROPIC_WORDS.exec(message)?.[0] ?? `prompt is too long: ${message}`
}

export function googleWords(message: string): string {
  const counts = countsIn(message)
  if (!counts) return message
  return `The input token count (${counts.asked}) exceeds the maximum number of tokens allowed (${counts.max}).`
}

function countsIn(message: string): Counts | undefined {
  const plain = message.replace(/(?<=\d),(?=\d{3}\b)/g, '')
  for (const pattern of COUNTS) {
    const { asked, max } = pattern.exec(plain)?.groups ?? {}
    if (asked && max && Number(asked) > Number(max)) return { asked, max }
  }
  return undefined
}
