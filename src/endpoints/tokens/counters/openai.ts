import type { CountTokensRequest } from '../../../contract/tokens.ts'
import { blocksOf, definedTools, type Fields, sourceOf, textIn } from './blocks.ts'
import { type Counter, post } from './counter.ts'

// https://platform.openai.com/docs/api-reference/responses/input-tokens

/** OpenAI counts only in the Responses format; a chat with the same content differs by a few tokens. */
export const openai: Counter = {
  encode: ({ request, responses }, { provider = 'openai', baseUrl, model }) => {
    if (responses) return post(`${baseUrl}/responses/input_tokens`, { ...responses(provider), model })
    const input = request.messages.flatMap(({ role, content }) => itemsOf(role, content))
    const instructions = textIn(request.system)
    const body = { model, input, ...(instructions && { instructions }), ...toolsOf(request) }
    return post(`${baseUrl}/responses/input_tokens`, body)
  },
  decode: (answer) => (answer as { input_tokens?: unknown }).input_tokens,
}

/** Tool calls and results are separate items; the rest of a message is one item. */
function itemsOf(role: string, content: unknown): object[] {
  const blocks = blocksOf(content)
  const parts = blocks.flatMap((block) => partOf(role, block))
  const message = parts.length > 0 ? [{ role, content: parts }] : []
  return [...message, ...blocks.flatMap(toolItem)]
}

function partOf(role: string, block: Fields): object[] {
  const type = role === 'assistant' ? 'output_text' : 'input_text'
  if (block.type === 'text') return [{ type, text: block.text }]
  if (block.type !== 'image' && block.type !== 'document') return []
  const { text, url, data, mediaType } = sourceOf(block)
  if (text !== undefined) return [{ type, text }]
  const address = url ?? `data:${mediaType};base64,${data}`
  if (block.type === 'image') return [{ type: 'input_image', image_url: address }]
  return [{ type: 'input_file', ...(url ? { file_url: url } : { filename: 'file.pdf', file_data: address }) }]
}

function toolItem({ type, id, name, input, tool_use_id, content }: Fields): object[] {
  if (type === 'tool_use') return [{ type: 'function_call', call_id: id, name, arguments: JSON.stringify(input ?? {}) }]
  if (type !== 'tool_result') return []
  return [{ type: 'function_call_output', call_id: tool_use_id, output: textIn(content) }]
}

function toolsOf({ tools, tool_choice }: CountTokensRequest): object {
  const defined = definedTools(tools).map(({ name, description, input_schema: parameters }) => {
    return { type: 'function', name, ...(description ? { description } : {}), parameters, strict: false }
  })
  return defined.length > 0 ? { tools: defined, ...choiceOf(tool_choice) } : {}
}

const CHOICES = new Map<unknown, string>([
  ['auto', 'auto'],
  ['any', 'required'],
  ['none', 'none'],
])

function choiceOf(choice: CountTokensRequest['tool_choice']): object {
  if (choice?.type === 'tool') return { tool_choice: { type: 'function', name: choice.name } }
  const mode = CHOICES.get(choice?.type)
  return mode ? { tool_choice: mode } : {}
}
