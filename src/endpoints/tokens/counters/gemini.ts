import type { CountTokensRequest } from '../../../contract/tokens.ts'
import { blocksOf, definedTools, type Fields, sourceOf, textIn } from './blocks.ts'
import { pathSegment } from '../../../translation/wire/path-segment.ts'
import { type Counter, post } from './counter.ts'

// https://ai.google.dev/api/tokens

export const gemini: Counter = {
  encode: ({ request, gemini: original }, { baseUrl, model }) => {
    const input = original ?? { contents: contentsOf(request.messages), ...systemOf(request), ...toolsOf(request) }
    // Vertex AI accepts the same fields without the wrapper object; its address is recognizable by the longer path.
    const body = isVertex(baseUrl) ? input : { generateContentRequest: { ...input, model: `models/${model}` } }
    return post(`${baseUrl}/models/${pathSegment(model)}:countTokens`, body)
  },
  decode: (answer) => (answer as { totalTokens?: unknown }).totalTokens,
}

function isVertex(baseUrl: string): boolean {
  return baseUrl.endsWith('/publishers/google')
}

function contentsOf(messages: CountTokensRequest['messages']): object[] {
  const names = new Map<unknown, unknown>()
  return messages.flatMap(({ role, content }) => {
    const parts = blocksOf(content).flatMap((block) => partOf(block, names))
    return parts.length === 0 ? [] : [{ role: role === 'assistant' ? 'model' : 'user', parts }]
  })
}

/** Gemini identifies a tool result by the name of the tool, which is in the call with the same id. */
function partOf(block: Fields, names: Map<unknown, unknown>): object[] {
  const { type, text, id, name, input, tool_use_id, content } = block
  if (type === 'text') return [{ text }]
  if (type === 'image' || type === 'document') return [fileOf(block)]
  if (type === 'tool_use') {
    names.set(id, name)
    return [{ functionCall: { name, args: input ?? {} } }]
  }
  if (type !== 'tool_result') return []
  const functionResponse = { name: names.get(tool_use_id) ?? 'tool', response: { result: textIn(content) } }
  return [{ functionResponse }, ...filesIn(content)]
}

function filesIn(content: unknown): object[] {
  return blocksOf(content)
    .filter(({ type }) => type === 'image' || type === 'document')
    .map(fileOf)
}

function fileOf(block: Fields): object {
  const { text, url, data, mediaType } = sourceOf(block)
  if (text !== undefined) return { text }
  return url === undefined ? { inlineData: { mimeType: mediaType, data } } : { fileData: { fileUri: url } }
}

function systemOf({ system }: CountTokensRequest): object {
  return system ? { systemInstruction: { parts: blocksOf(system).map(({ text }) => ({ text })) } } : {}
}

function toolsOf({ tools }: CountTokensRequest): object {
  const functionDeclarations = definedTools(tools).map(({ name, description, input_schema }) => {
    return { name, ...(description ? { description } : {}), parametersJsonSchema: input_schema }
  })
  return functionDeclarations.length > 0 ? { tools: [{ functionDeclarations }] } : {}
}
