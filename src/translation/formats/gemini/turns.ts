import type { ContentPart, Message } from '../../../contract/chat.ts'
import type { GenerateContentRequest } from '../../../contract/gemini/generate-content.ts'
import { type Fields, recordOf, textOf } from '../../../base/schema/record.ts'
import { contentParts } from './content-parts.ts'
import { modelMessage } from './model-turn.ts'
import { elementsOf, fieldsOf } from './names.ts'
import { OpenCalls } from './open-calls.ts'
import type { TargetFormats } from './target-formats.ts'
import { writeJson } from '../../json/written-numbers.ts'

type Contents = Pick<GenerateContentRequest, 'contents' | 'systemInstruction' | 'system_instruction'>

/** The conversation as messages. */
export function messagesOf(body: Contents, targets: TargetFormats): Message[] {
  const calls = new OpenCalls()
  const turns = elementsOf(body.contents).flatMap(({ role, parts }, at) => {
    const own = elementsOf(parts)
    if (role === 'model' || role === 'assistant') return modelMessage(own, at, { targets, calls })
    return userMessages(own, role === 'system' ? 'system' : 'user', calls)
  })
  return [...systemMessages(body), ...turns]
}

function systemMessages({ systemInstruction, system_instruction }: Contents): Message[] {
  const instruction = systemInstruction ?? system_instruction
  if (typeof instruction === 'string') return instruction === '' ? [] : [{ role: 'system', content: instruction }]
  const parts = contentParts(elementsOf(fieldsOf(instruction).parts))
  return parts.length > 0 ? [{ role: 'system', content: plainest(parts) }] : []
}

/** Results of functions become messages of their own, before the rest of their turn. */
function userMessages(parts: readonly Fields[], role: 'user' | 'system', calls: OpenCalls): Message[] {
  const results = parts.flatMap(({ functionResponse }) =>
    functionResponse == null ? [] : [resultOf(fieldsOf(functionResponse), calls)],
  )
  const rest = [...results.flatMap(({ beside }) => beside), ...contentParts(parts)]
  const messages = results.map(({ message }) => message)
  return rest.length > 0 ? [...messages, { role, content: plainest(rest) }] : messages
}

/** Most chat formats accept only text from a tool. Other content follows in a user message, with a note about its origin. */
function resultOf(result: Fields, calls: OpenCalls): { message: Message; beside: ContentPart[] } {
  const { id, name, response, parts } = result
  const media = contentParts(elementsOf(parts))
  const tool_call_id = calls.answered(textOf(id), textOf(name))
  const content = resultText(response, name)
  const message = { role: 'tool' as const, tool_call_id, name: textOf(name), content }
  const label: ContentPart = { type: 'text', text: `Result of the tool call ${tool_call_id}:` }
  return { message, beside: media.length > 0 ? [label, ...media] : [] }
}

/** Clients wrap a plain text as `output`, the name that Google knows, or as `content` with the name of the function. */
function resultText(response: unknown, name: unknown): string {
  const { output, content, ...others } = recordOf(response)
  const isAlone = Object.keys(others).every((member) => member === 'name' && others.name === name)
  if (isAlone && output === undefined && typeof content === 'string') return content
  if (isAlone && content === undefined && typeof output === 'string') return output
  return typeof response === 'string' ? response : writeJson(recordOf(response))
}

/** A single text becomes a plain string, which every format accepts. */
function plainest(parts: ContentPart[]): Message['content'] {
  const [only] = parts
  return parts.length === 1 && only?.type === 'text' ? only.text : parts
}
