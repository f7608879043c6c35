import type { Exchange, ProviderRow, FieldRules, Region } from './provider.ts'

/** Hosted in the European Union, or in the United States, by what the provider advertises. */
export const EU: readonly Region[] = ['global', 'eu']
export const US: readonly Region[] = ['global', 'us']

type Wires = Pick<ProviderRow, 'images' | 'embeddings' | 'speech'>
type Ways = Pick<ProviderRow, 'prefill' | 'params' | 'fieldRules' | 'compat' | 'choices'>
type More = Pick<ProviderRow, 'aliases' | 'regions' | 'modelNaming' | 'passesOn' | 'baseUrlEnv'> & Ways & Wires

/** An OpenAI-compatible address that wants a key. */
export function hosted(name: string, baseUrl: string, env: string, more: More = {}): ProviderRow {
  return { name, dialect: 'openai', baseUrl, auth: { scheme: 'bearer', env }, ...more }
}

/** The same with a key that is exchanged for a token first. */
export function exchanging(exchange: Exchange, row: ProviderRow): ProviderRow {
  return { ...row, auth: { ...row.auth, scheme: 'exchange', exchange } }
}

/** It knows only the old name of the limit, and refuses these fields. */
export function oldLimit(...drop: string[]): FieldRules {
  return { rename: { max_completion_tokens: 'max_tokens' }, ...(drop.length > 0 && { drop }) }
}

/** It knows only the new name of the limit, and refuses these fields. */
export function newLimit(...drop: string[]): FieldRules {
  return { rename: { max_tokens: 'max_completion_tokens' }, ...(drop.length > 0 && { drop }) }
}
