import { isRecord } from '../../base/schema/record.ts'
import type { KeptContent } from '../content-draft.ts'

// What is kept of a chat, in the words of the semantic conventions: messages with parts, whatever format the caller speaks.

/** Of each attribute, in characters. Of longer conversations, the latest messages are sent. */
const MAX_CHARS = 131_072

type Fields = Readonly<Record<string, unknown>>
type Part = { type: string } & Record<string, unknown>
type Message = { role: string; parts: Part[]; finish_reason?: string }

type ContentMessages = {
  /** JSON texts; null if there is nothing. */
  readonly system: string | null
  readonly input: string | null
  readonly output: string | null
  /** How many messages there was no room for. */
  readonly omitted: number
}

export function messagesOf({ request, answer }: KeptContent): ContentMessages {
  const fields = isRecord(request) ? request : {}
  const system = fitting(
    partsOf(fields.system ?? fields.instructions ?? fields.systemInstruction ?? fields.system_instruction),
  )
  const input = fitting(inputOf(fields))
  const output = fitting(isRecord(answer) ? outputOf(answer) : [])
  const omitted = system.omitted + input.omitted + output.omitted
  return { system: system.text, input: input.text, output: output.text, omitted }
}

/** As many of the last ones as there is room for. */
function fitting(all: readonly unknown[]): { text: string | null; omitted: number } {
  const texts: string[] = []
  let chars = 2
  for (const one of all.toReversed()) {
    const text = JSON.stringify(one)
    chars += text.length + 1
    if (chars > MAX_CHARS) break
    texts.unshift(text)
  }
  return { text: texts.length > 0 ? `[${texts.join(',')}]` : null, omitted: all.length - texts.length }
}

function inputOf({ messages, input, contents, prompt }: Fields): Message[] {
  const value = messages ?? input ?? contents ?? prompt
  if (typeof value === 'string') return [{ role: 'user', parts: [textPart(value)] }]
  return listOf(value).map((one) =>
    typeof one === 'string' ? { role: 'user', parts: [textPart(one)] } : messageOf(one, 'user'),
  )
}

/** A stream is kept as choices without messages, completions have texts, and Gemini has candidates. */
function outputOf(answer: Fields): Message[] {
  const { choices, candidates, output, content, stop_reason } = answer
  if (output !== undefined) return listOf(output).map((one) => messageOf(one, 'assistant'))
  if (choices === undefined && candidates === undefined)
    return content === undefined ? [] : [withReason(messageOf(answer, 'assistant'), stop_reason)]
  return listOf(choices ?? candidates).map((choice) => {
    if (!isRecord(choice)) return { role: 'assistant', parts: [] }
    const { message, text, finish_reason, finishReason } = choice
    const answerMessage = isRecord(message)
      ? message
      : isRecord(choice.content)
        ? choice.content
        : { ...choice, content: choice.content ?? text }
    return withReason(messageOf(answerMessage, 'assistant'), finish_reason ?? finishReason)
  })
}

function withReason(message: Message, reason: unknown): Message {
  return typeof reason === 'string' ? { ...message, finish_reason: reason.toLowerCase() } : message
}

function messageOf(value: unknown, usual: string): Message {
  if (!isRecord(value)) return { role: usual, parts: [] }
  const { role, content, parts, tool_calls, tool_call_id, type } = value
  // An item of a response that is no message is a part by itself.
  if (role === undefined && content === undefined && parts === undefined && typeof type === 'string')
    return { role: type.endsWith('_output') ? 'tool' : 'assistant', parts: [partOf(value)] }
  const contentParts = partsOf(content ?? parts)
  const own =
    typeof tool_call_id === 'string'
      ? [{ type: 'tool_call_response', id: tool_call_id, response: content }]
      : contentParts
  const named = role === 'model' ? 'assistant' : typeof role === 'string' ? role : usual
  return { role: named, parts: [...own, ...listOf(tool_calls).map(partOf)] }
}

function partsOf(content: unknown): Part[] {
  if (content === undefined || content === null || content === '') return []
  if (typeof content === 'string') return [textPart(content)]
  if (isRecord(content)) return Array.isArray(content.parts) ? partsOf(content.parts) : [partOf(content)]
  return listOf(content).map(partOf)
}

function textPart(content: string): Part {
  return { type: 'text', content }
}

/** Of what is neither text nor a tool, only the kind is told: files and images are not kept anyway. */
function partOf(part: unknown): Part {
  if (typeof part === 'string') return textPart(part)
  if (!isRecord(part)) return { type: 'unknown' }
  const { type, text, thinking, id, call_id, name, input } = part
  const called = part.function ?? part.functionCall ?? (type === undefined && name !== undefined ? part : undefined)
  if (isRecord(called)) return toolCall(id ?? called.id, called.name, called.arguments ?? called.args)
  if (type === 'tool_use' || type === 'function_call') return toolCall(id ?? call_id, name, input ?? part.arguments)
  if (type === 'tool_result') return { type: 'tool_call_response', id: part.tool_use_id, response: part.content }
  if (type === 'function_call_output') return { type: 'tool_call_response', id: call_id, response: part.output }
  if (isRecord(part.functionResponse))
    return { type: 'tool_call_response', id: part.functionResponse.id, response: part.functionResponse.response }
  if (typeof thinking === 'string' || part.thought === true) return { type: 'reasoning', content: thinking ?? text }
  if (typeof text === 'string') return textPart(text)
  return { type: typeof type === 'string' ? type : (Object.keys(part)[0] ?? 'unknown') }
}

function toolCall(id: unknown, name: unknown, called: unknown): Part {
  return { type: 'tool_call', id: id ?? null, name, arguments: called }
}

function listOf(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : value === undefined || value === null ? [] : [value]
}
