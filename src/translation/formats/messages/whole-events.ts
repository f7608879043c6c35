import type { NativeEvent } from '../../wire/answer.ts'
import { type Fields, recordOf, recordsIn, textOf } from '../../../base/schema/record.ts'

/** The events that a whole message would have been sent as: those of its content, and the one that ends it. */
export function messageAsEvents(message: Fields): { content: NativeEvent[]; end: NativeEvent[] } {
  const { content, stop_reason = null, stop_sequence = null, usage } = message
  const start = { type: 'message_start', message: { ...message, content: [], stop_reason: null, stop_sequence: null } }
  const end = { type: 'message_delta', delta: { stop_reason, stop_sequence }, usage: recordOf(usage) }
  return { content: [start, ...recordsIn(content).flatMap(blockAsEvents)], end: [end] }
}

/** Blocks of other kinds arrive whole with their first event, as they do in streams of the provider. */
function blockAsEvents(block: Fields, index: number): NativeEvent[] {
  const [empty, deltas] = splitBlock(block)
  return [
    { type: 'content_block_start', index, content_block: empty },
    ...deltas.map((delta) => ({ type: 'content_block_delta', index, delta })),
    { type: 'content_block_stop', index },
  ]
}

function splitBlock(block: Fields): [empty: Fields, deltas: Fields[]] {
  const { type, citations } = block
  if (type === 'text') {
    const cited = recordsIn(citations).map((citation) => ({ type: 'citations_delta', citation }))
    return [{ type, text: '' }, [{ type: 'text_delta', text: textOf(block.text) }, ...cited]]
  }
  if (type === 'thinking') {
    const { thinking, signature } = block
    const empty = { type, thinking: '', signature: '' }
    return [
      empty,
      [
        { type: 'thinking_delta', thinking },
        { type: 'signature_delta', signature },
      ],
    ]
  }
  if (type !== 'tool_use') return [block, []]
  return [{ ...block, input: {} }, [{ type: 'input_json_delta', partial_json: JSON.stringify(block.input ?? {}) }]]
}
