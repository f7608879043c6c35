import type { RequestFields } from './request-fields.ts'

type Caps = { max_completion_tokens?: number | null | undefined; max_tokens?: number | null | undefined }

/** The maximum number of tokens to write. The newer of the two names takes precedence. */
export function maxAnswerTokens({ max_completion_tokens, max_tokens }: Caps): number | undefined {
  return max_completion_tokens ?? max_tokens ?? undefined
}

/** Texts at which to stop. Empty ones are refused everywhere and have no effect. */
export function stopTexts({ stop }: RequestFields): string[] {
  return (typeof stop === 'string' ? [stop] : (stop ?? [])).filter((text) => text !== '')
}
