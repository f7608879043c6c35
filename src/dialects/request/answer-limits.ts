import type { RequestFields } from './request-fields.ts'

/** Most tokens to write; the newer of the two names is the one that is meant. */
export function maxAnswerTokens({ max_completion_tokens, max_tokens }: RequestFields): number | undefined {
  return max_completion_tokens ?? max_tokens
}

/** Texts at which to stop. Empty ones are refused everywhere and stop nothing. */
export function stopTexts({ stop }: RequestFields): string[] {
  return (typeof stop === 'string' ? [stop] : (stop ?? [])).filter((text) => text !== '')
}
