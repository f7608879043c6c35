import { TOOL } from './answers.ts'
import {
  type Client,
  MAX_TOKENS,
  PARAMETERS,
  PIXEL_URL,
  type Results,
  SCHEMA,
  type Spoken,
  SYSTEM,
  type Wishes,
} from './client.ts'
import { type Fields, fieldsIn, listIn } from './rule.ts'

const TOOLS = [{ type: 'function', function: { name: TOOL, description: 'The weather.', parameters: PARAMETERS } }]
const IMAGE = { type: 'image_url', image_url: { url: PIXEL_URL } }

/** Sends messages back as it got them, with every member that a provider or the gateway added; `forgets`: only what it knows. */
export class ChatClient implements Client {
  readonly #messages: Fields[] = []
  readonly #forgets: boolean

  constructor(forgets = false) {
    this.#forgets = forgets
  }

  path(_model: string): string {
    return '/v3/chat/completions'
  }

  say({ text, image }: Spoken): void {
    this.#messages.push({ role: 'user', content: image ? [{ type: 'text', text }, IMAGE] : text })
  }

  instruct(text: string): void {
    this.#messages.push({ role: 'system', content: text })
  }

  answer({ results, beside, image }: Results): void {
    for (const { id, text } of results) this.#messages.push({ role: 'tool', tool_call_id: id, content: text })
    if (beside) this.say({ text: beside, ...(image && { image }) })
  }

  request(model: string, { system, tools, thinks, schema }: Wishes): Fields {
    const json_schema = { name: 'city', schema: SCHEMA, strict: true }
    return {
      model,
      messages: [...(system ? [{ role: 'system', content: SYSTEM }] : []), ...this.#messages],
      max_tokens: MAX_TOKENS,
      ...(tools && { tools: TOOLS }),
      ...(thinks && { reasoning_effort: 'medium' }),
      ...(schema && { response_format: { type: 'json_schema', json_schema } }),
    }
  }

  hear({ choices }: Fields) {
    const message = fieldsIn(listIn(choices)[0]?.message)
    const { role, content, tool_calls } = message
    const calls = listIn(tool_calls)
    const plain = calls.map(({ id, type, function: called }) => ({ id, type, function: called }))
    this.#messages.push(this.#forgets ? { role, content, ...(calls.length > 0 && { tool_calls: plain }) } : message)
    return calls.map(({ id, function: called }) => ({ id: String(id), name: String(fieldsIn(called).name) }))
  }
}

/** Cohere's format. */
export class CohereClient implements Client {
  readonly #messages: Fields[] = []

  path(_model: string): string {
    return '/v3/v2/chat'
  }

  say({ text, image }: Spoken): void {
    this.#messages.push({ role: 'user', content: image ? [{ type: 'text', text }, IMAGE] : text })
  }

  instruct(text: string): void {
    this.#messages.push({ role: 'system', content: text })
  }

  answer({ results, beside, image }: Results): void {
    for (const { id, text } of results) {
      const document = { type: 'document', document: { data: { text } } }
      this.#messages.push({ role: 'tool', tool_call_id: id, content: [document] })
    }
    if (beside) this.say({ text: beside, ...(image && { image }) })
  }

  request(model: string, { system, tools, thinks, schema }: Wishes): Fields {
    return {
      model,
      messages: [...(system ? [{ role: 'system', content: SYSTEM }] : []), ...this.#messages],
      max_tokens: MAX_TOKENS,
      ...(tools && { tools: TOOLS }),
      ...(thinks && { reasoning_effort: 'medium' }),
      ...(schema && { response_format: { type: 'json_object', json_schema: SCHEMA } }),
    }
  }

  hear({ message }: Fields) {
    const said = fieldsIn(message)
    this.#messages.push(said)
    return listIn(said.tool_calls).map(({ id, function: called }) => ({
      id: String(id),
      name: String(fieldsIn(called).name),
    }))
  }
}
