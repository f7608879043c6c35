import type { CountTokensRequest } from '../../../contract/tokens.ts'
import { type Counter, post } from './counter.ts'

// https://platform.claude.com/docs/en/api/messages-count-tokens

const VERSION = '2023-06-01'
/** Anthropic's counter refuses unknown fields, but callers send the same body as for a message. */
const COUNTED_FIELDS = [
  ...(['messages', 'system', 'tools', 'tool_choice', 'thinking', 'output_config', 'cache_control', 'speed'] as const),
  ...(['context_management', 'mcp_servers'] as const),
]

export const anthropic: Counter = {
  encode: ({ request, betas }, { baseUrl, model }) => {
    const headers = { 'anthropic-version': VERSION, ...(betas && { 'anthropic-beta': betas }) }
    return post(`${baseUrl}/messages/count_tokens`, { model, ...countedFields(request) }, headers)
  },
  decode: (answer) => (answer as { input_tokens?: unknown }).input_tokens,
}

/** The parts of a request that the model reads; null means the same as absent. */
export function countedFields(request: CountTokensRequest): Record<string, unknown> {
  const fields: Record<string, unknown> = request
  return Object.fromEntries(COUNTED_FIELDS.flatMap((key) => (fields[key] == null ? [] : [[key, fields[key]]])))
}
