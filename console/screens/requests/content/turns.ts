import { callOf, partOf, type Part, resultOf } from './parts.ts'

/** What one side said in one go. */
export type Turn = { role: string; parts: Part[] }
type Fields = Readonly<Record<string, unknown>>

/**
 * The conversation in a request or an answer, in any of the formats that callers use. What it does not know is not in it: the JSON
 * beside it has everything.
 */
export function turnsOf(value: unknown): Turn[] {
  const fields = fieldsOf(value)
  const turns = Object.entries(READERS).flatMap(([name, read]) => (name in fields ? read(fields[name], fields) : []))
  return turns.filter(({ parts }) => parts.length > 0)
}

type Reader = (value: unknown, fields: Fields) => Turn[]

/** By the name of the member that has it, in the order in which models read them. */
const READERS: Readonly<Record<string, Reader>> = {
  system: (value) => [{ role: 'system', parts: partsIn(value) }],
  instructions: (value) => [{ role: 'system', parts: partsIn(value) }],
  systemInstruction: (value) => [{ role: 'system', parts: partsIn(value) }],
  system_instruction: (value) => [{ role: 'system', parts: partsIn(value) }],
  messages: (value) => listIn(value).map((one) => turnOf(one, 'user')),
  contents: (value) => listIn(value).map((one) => turnOf(one, 'user')),
  prompt: (value) => [{ role: 'user', parts: partsIn(value) }],
  input: (value) => (typeof value === 'object' ? listIn(value) : [value]).map((one) => turnOf(one, 'user')),
  choices: (value) => listIn(value).map((one) => turnOf(fieldsOf(one).message ?? one, 'assistant')),
  candidates: (value) => listIn(value).map((one) => turnOf(fieldsOf(one).content, 'assistant')),
  output: (value) => listIn(value).map((one) => turnOf(one, 'assistant')),
  // An answer that is one message.
  content: (_value, fields) => [turnOf(fields, 'assistant')],
}

/** A message, an item of a response, or a bare text. */
function turnOf(value: unknown, usual: string): Turn {
  if (typeof value === 'string') return { role: usual, parts: partsIn(value) }
  const fields = fieldsOf(value)
  if ('call_id' in fields || fields.type === 'reasoning') return { role: roleOfItem(fields), parts: [partOf(fields)] }
  const role = typeof fields.role === 'string' ? fields.role : usual
  const said = partsIn(fields.content ?? fields.parts ?? fields.text)
  const parts = [...thoughtsOf(fields), ...said, ...listIn(fields.tool_calls).map(callOf)]
  return { role, parts: role === 'tool' ? [resultOf(fields, said)] : parts }
}

function roleOfItem({ output }: Fields): string {
  return output === undefined ? 'assistant' : 'tool'
}

function thoughtsOf({ reasoning_content: thoughts, refusal }: Fields): Part[] {
  return [
    ...(typeof thoughts === 'string' ? [{ title: 'Thinking', text: thoughts }] : []),
    ...(typeof refusal === 'string' ? [{ title: 'Refusal', text: refusal }] : []),
  ]
}

/** Of a text, a list of blocks, or an object that has such a list. */
function partsIn(value: unknown): Part[] {
  if (typeof value === 'string') return value === '' ? [] : [{ text: value }]
  if (value === null || value === undefined) return []
  return Array.isArray(value) ? value.map(partOf) : partsIn(fieldsOf(value).parts)
}

function listIn(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : []
}

function fieldsOf(value: unknown): Fields {
  return typeof value === 'object' && value !== null ? (value as Fields) : {}
}
