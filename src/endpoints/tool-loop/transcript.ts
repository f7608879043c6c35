import type { Message } from '../../contract/chat.ts'
import { type Fields, isRecord, recordsIn, textOf } from '../../base/schema/record.ts'
import { toNumber } from '../../base/schema/to-primitive.ts'
import { type CallBlock, GATEWAY_MAKER } from '../../translation/formats/gateway/steps.ts'
import { writeJson } from '../../translation/json/written-numbers.ts'
import { resultMessage } from './run-calls.ts'

// An answer that took several turns is one message for its caller. In the requests to models it is what it was: turns of the model
// with the results of their calls. The blocks of its `provider_content` say where each turn begins.

/** One turn of the model, as it goes into the next request. */
export type TurnMessage = Message & { role: 'assistant'; tool_calls?: Fields[] }

function callOf({ id, function: name, input }: CallBlock): Fields {
  return { id, type: 'function', function: { name, arguments: writeJson(input) } }
}

/** The conversation with each earlier answer in its turns. Answers without calls of the gateway stay as they are. */
export function inTurns(messages: readonly Message[]): Message[] {
  return messages.flatMap((message) => turnsOf(message) ?? [message])
}

function turnsOf(message: Message): Message[] | undefined {
  const { provider_content: content, content: text } = message as Fields
  if (message.role !== 'assistant' || !isRecord(content) || content.type !== GATEWAY_MAKER) return undefined
  const answerText =
    typeof text === 'string'
      ? text
      : recordsIn(text)
          .map((part) => textOf(part.text))
          .join('')
  const turns = groupsIn(recordsIn(content.blocks))
  const lastText = turns.flat().findLast(({ type }) => type === 'text')
  // A text that was changed cannot be divided any more: the provider gets it whole, and a note says so.
  if (toNumber(lastText?.end_index ?? 0) !== answerText.length) return undefined
  return turns.flatMap((blocks, at) => turnMessages(blocks, answerText, at === turns.length - 1 ? message : undefined))
}

function groupsIn(blocks: readonly Fields[]): Fields[][] {
  const groups: Fields[][] = []
  for (const block of blocks) {
    if (block.type === 'turn' || groups.length === 0) groups.push([])
    groups.at(-1)!.push(block)
  }
  return groups
}

/** `last` is the message itself: its last turn has what else is in it, such as calls for the caller. */
function turnMessages(blocks: readonly Fields[], answerText: string, last: Message | undefined): Message[] {
  const { reasoning_details, provider_content } = blocks.find(({ type }) => type === 'turn') ?? {}
  const calls = blocks.filter(isCall)
  const texts = blocks.filter(({ type }) => type === 'text')
  const content = texts.map(({ start_index, end_index }) =>
    answerText.slice(toNumber(start_index), toNumber(end_index)),
  )
  const { provider_content: _, tool_calls: own, ...rest } = (last ?? { role: 'assistant' }) as Fields
  const tool_calls = [...calls.map(callOf), ...recordsIn(own)]
  if (content.length + tool_calls.length === 0) return []
  const message = {
    ...rest,
    content: content.join('') || null,
    ...(tool_calls.length > 0 && { tool_calls }),
    ...(reasoning_details != null && !last && { reasoning_details }),
    ...(provider_content != null && { provider_content }),
  }
  return [message as Message, ...calls.map(resultMessage)]
}

function isCall(block: Fields): block is CallBlock {
  return block.type === 'tool_call'
}
