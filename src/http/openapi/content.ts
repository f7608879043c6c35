import type { TSchema } from '../../schema/type.ts'
import { printSchema } from './print-schema.ts'
import type { Content, Schema, Schemas } from './shape.ts'

/** Examples by title of the schema. Bodies and replies with that schema include them. */
const EXAMPLES: Record<string, unknown> = {
  ChatRequest: { model: 'sandbox/echo', messages: [{ role: 'user', content: 'Hello!' }] },
  ChatCompletion: {
    id: 'chatcmpl-3ce9512391320f46618568e2',
    object: 'chat.completion',
    created: 1767225600,
    model: 'sandbox/echo',
    choices: [{ index: 0, message: { role: 'assistant', content: 'Hello!' }, finish_reason: 'stop', logprobs: null }],
    usage: { prompt_tokens: 2, completion_tokens: 2, total_tokens: 4 },
    cost: 0,
    provider: 'sandbox',
  },
}

export function contentOf(schema: TSchema, schemas: Schemas, contentType = 'application/json'): Content {
  const example = EXAMPLES[(schema as Schema).title ?? '']
  return { [contentType]: { schema: printSchema(schema, schemas), ...(example !== undefined && { example }) } }
}
