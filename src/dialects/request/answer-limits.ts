import type { RequestFields } from './request-fields.ts'

type Caps = { max_completion_tokens?: number | null | undefined; max_tokens?: number | null | undefined }

/** The maximum number of tokens to write. It has two names; if a caller uses both, neither limit is exceeded. */
export function maxAnswerTokens({ max_completion_tokens, max_tokens }: Caps): number | undefined {
  if (max_completion_tokens != null && max_tokens != null) return Math.min(max_completion_tokens, max_tokens)
  return max_completion_tokens ?? max_tokens ?? undefined
}

/** Texts at which to stop. Empty ones are refused everywhere and have no effect. */
export function stopTexts({ stop }: RequestFields): string[] {
  return (typeof stop === 'string' ? [stop] : (stop ?? [])).filter((text) => text !== '')
}
