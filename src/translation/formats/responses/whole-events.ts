import type { NativeEvent } from '../../wire/answer.ts'
import { type Fields, recordsIn, textOf } from '../../../base/schema/record.ts'

/** The events that a whole response would have been sent as: those of its items, and the one that ends it. */
export function responseAsEvents(response: Fields): { content: NativeEvent[]; end: NativeEvent[] } {
  const begun = { ...response, status: 'in_progress', output: [], usage: null }
  const created = { type: 'response.created', response: begun }
  const end = { type: `response.${response.status === 'incomplete' ? 'incomplete' : 'completed'}`, response }
  return { content: [created, ...recordsIn(response.output).flatMap(itemAsEvents)], end: [end] }
}

function itemAsEvents(item: Fields, output_index: number): NativeEvent[] {
  const position = { item_id: item.id, output_index }
  return [
    { type: 'response.output_item.added', output_index, item: emptied(item) },
    ...insideOf(item, position),
    { type: 'response.output_item.done', output_index, item },
  ]
}

function emptied(item: Fields): Fields {
  if (item.type === 'message') return { ...item, status: 'in_progress', content: [] }
  return item.type === 'function_call' ? { ...item, status: 'in_progress', arguments: '' } : item
}

function insideOf({ type, content, arguments: json }: Fields, position: Fields): NativeEvent[] {
  if (type === 'message') return recordsIn(content).flatMap((part, at) => partAsEvents(part, at, position))
  if (type !== 'function_call') return []
  return [
    { type: 'response.function_call_arguments.delta', ...position, delta: textOf(json) },
    { type: 'response.function_call_arguments.done', ...position, arguments: textOf(json) },
  ]
}

function partAsEvents(part: Fields, content_index: number, item: Fields): NativeEvent[] {
  const field = part.type === 'refusal' ? 'refusal' : 'text'
  const name = part.type === 'refusal' ? 'response.refusal' : 'response.output_text'
  const position = { ...item, content_index }
  const text = textOf(part[field])
  return [
    { type: 'response.content_part.added', ...position, part: { ...part, [field]: '' } },
    { type: `${name}.delta`, ...position, delta: text },
    { type: `${name}.done`, ...position, [field]: text },
    { type: 'response.content_part.done', ...position, part },
  ]
}
