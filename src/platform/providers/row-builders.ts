import type { Exchange, ProviderRow, FieldRules, Region } from './provider.ts'

/** The provider advertises that it hosts in the European Union, or in the United States. */
export const EU: readonly Region[] = ['global', 'eu']
export const US: readonly Region[] = ['global', 'us']

type More = Omit<ProviderRow, 'name' | 'dialect' | 'baseUrl' | 'auth'>

/** An OpenAI-compatible address with an API key. */
export function hosted(name: string, baseUrl: string, env: string, more: More = {}): ProviderRow {
  return { name, dialect: 'openai', baseUrl, auth: { scheme: 'bearer', env }, ...more }
}

/** Changes the row so that its key is exchanged for a token first. */
export function exchanging(exchange: Exchange, row: ProviderRow): ProviderRow {
  return { ...row, auth: { ...row.auth, scheme: 'exchange', exchange } }
}

/** The provider knows only `max_tokens`, the old name of the token limit, and refuses the fields of `drop`. */
export function onlyMaxTokens(...drop: string[]): FieldRules {
  return { rename: { max_completion_tokens: 'max_tokens' }, ...(drop.length > 0 && { drop }) }
}

/** The provider knows only `max_completion_tokens`, the new name of the token limit, and refuses the fields of `drop`. */
export function onlyMaxCompletionTokens(...drop: string[]): FieldRules {
  return { rename: { max_tokens: 'max_completion_tokens' }, ...(drop.length > 0 && { drop }) }
}
