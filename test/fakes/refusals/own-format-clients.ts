import { TOOL } from './answers.ts'
import {
  BUDGET,
  type Client,
  MAX_TOKENS,
  PARAMETERS,
  PIXEL,
  PIXEL_URL,
  type Results,
  SCHEMA,
  type Spoken,
  SYSTEM,
  type Wishes,
} from './client.ts'
import { type Fields, fieldsIn, listIn } from './rule.ts'

/** Anthropic's format: results of tools and the text beside them are one message. */
export class MessagesClient implements Client {
  readonly #messages: Fields[] = []

  path(_model: string): string {
    return '/v3/v1/messages'
  }

  say({ text, image }: Spoken): void {
    this.#messages.push({ role: 'user', content: [{ type: 'text', text }, ...(image ? [imageBlock()] : [])] })
  }

  /** The format has none for all models. */
  instruct(text: string): void {
    this.say({ text })
  }

  answer({ results, beside, image }: Results): void {
    const blocks = results.map(({ id, text, isError }, at) => ({
      type: 'tool_result',
      tool_use_id: id,
      content: [{ type: 'text', text }, ...(image && at === 0 ? [imageBlock()] : [])],
      ...(isError && { is_error: true }),
    }))
    this.#messages.push({ role: 'user', content: [...blocks, ...(beside ? [{ type: 'text', text: beside }] : [])] })
  }

  request(model: string, { system, tools, thinks, schema }: Wishes): Fields {
    return {
      model,
      max_tokens: MAX_TOKENS,
      messages: this.#messages,
      ...(system && { system: [{ type: 'text', text: SYSTEM }] }),
      ...(tools && { tools: [{ name: TOOL, description: 'The weather.', input_schema: PARAMETERS }] }),
      ...(thinks && {
        thinking: NEWER_CLAUDE.test(model) ? { type: 'adaptive' } : { type: 'enabled', budget_tokens: BUDGET },
      }),
      ...(schema && { output_config: { format: { type: 'json_schema', schema: SCHEMA } } }),
    }
  }

  hear({ content }: Fields) {
    this.#messages.push({ role: 'assistant', content })
    return listIn(content)
      .filter(({ type }) => type === 'tool_use')
      .map(({ id, name }) => ({ id: String(id), name: String(name) }))
  }
}

/** Models that refuse a budget. */
const NEWER_CLAUDE = /claude-\w+-5/

function imageBlock(): Fields {
  return { type: 'image', source: { type: 'base64', media_type: 'image/png', data: PIXEL } }
}

/** OpenAI's responses format, without anything stored. */
export class ResponsesClient implements Client {
  readonly #items: Fields[] = []

  path(_model: string): string {
    return '/v3/responses'
  }

  say({ text, image }: Spoken): void {
    const picture = image ? [{ type: 'input_image', image_url: PIXEL_URL, detail: 'auto' }] : []
    this.#items.push({ type: 'message', role: 'user', content: [{ type: 'input_text', text }, ...picture] })
  }

  instruct(text: string): void {
    this.#items.push({ type: 'message', role: 'developer', content: [{ type: 'input_text', text }] })
  }

  answer({ results, beside, image }: Results): void {
    for (const { id, text } of results) {
      const output = image
        ? [
            { type: 'input_text', text },
            { type: 'input_image', image_url: PIXEL_URL },
          ]
        : text
      this.#items.push({ type: 'function_call_output', call_id: id, output })
    }
    if (beside) this.say({ text: beside })
  }

  request(model: string, { system, tools, thinks, schema }: Wishes): Fields {
    return {
      model,
      input: this.#items,
      store: false,
      max_output_tokens: MAX_TOKENS,
      ...(system && { instructions: SYSTEM }),
      ...(tools && {
        tools: [{ type: 'function', name: TOOL, description: 'The weather.', parameters: PARAMETERS, strict: false }],
      }),
      ...(thinks && { reasoning: { effort: 'medium' } }),
      ...(schema && { text: { format: { type: 'json_schema', name: 'city', schema: SCHEMA, strict: true } } }),
    }
  }

  hear({ output }: Fields) {
    this.#items.push(...listIn(output))
    return listIn(output)
      .filter(({ type }) => type === 'function_call')
      .map(({ call_id, name }) => ({ id: String(call_id), name: String(name) }))
  }
}

/** Google's format: results name the function, and ids and the role of the user may be missing. */
export class GeminiClient implements Client {
  readonly #contents: Fields[] = []

  path(model: string): string {
    return `/v3/v1beta/models/${model}:generateContent`
  }

  say({ text, image }: Spoken): void {
    this.#contents.push({ parts: [{ text }, ...(image ? [imagePart()] : [])] })
  }

  /** The format has none. */
  instruct(text: string): void {
    this.say({ text })
  }

  answer({ results, beside }: Results): void {
    const parts = results.map(({ id, name, text }) => ({
      functionResponse: { ...(id && { id }), name, response: { output: text } },
    }))
    this.#contents.push({ role: 'user', parts: [...parts, ...(beside ? [{ text: beside }] : [])] })
  }

  /** Google's older models refuse a schema beside functions, so clients do not send it. */
  request(_model: string, { system, tools, thinks, schema }: Wishes): Fields {
    const functionDeclarations = [{ name: TOOL, description: 'The weather.', parametersJsonSchema: PARAMETERS }]
    return {
      contents: this.#contents,
      ...(system && { systemInstruction: { parts: [{ text: SYSTEM }] } }),
      ...(tools && { tools: [{ functionDeclarations }] }),
      generationConfig: {
        maxOutputTokens: MAX_TOKENS,
        ...(thinks && { thinkingConfig: { thinkingBudget: BUDGET, includeThoughts: true } }),
        ...(schema && !tools && { responseMimeType: 'application/json', responseJsonSchema: SCHEMA }),
      },
    }
  }

  hear({ candidates }: Fields) {
    const content = fieldsIn(listIn(candidates)[0]?.content)
    this.#contents.push(content)
    return listIn(content.parts).flatMap(({ functionCall }) => {
      const { id, name } = fieldsIn(functionCall)
      return functionCall === undefined ? [] : [{ id: String(id ?? ''), name: String(name) }]
    })
  }
}

function imagePart(): Fields {
  return { inlineData: { mimeType: 'image/png', data: PIXEL } }
}
