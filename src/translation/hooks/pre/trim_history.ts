import Type from '../../../base/schema/type.ts'
import type { Message } from '../../../contract/chat.ts'
import { closedParams } from '../closed-params.ts'
import { type PreTools, preHook } from '../hook.ts'
import { isInstruction } from '../message-texts.ts'

/** The estimate for an image, a file or audio: providers differ, and the size in bytes says nothing. */
const MEDIA_TOKENS = 1_000
/** The role, and what a format adds to each message. */
const MESSAGE_TOKENS = 4

export default preHook({
  description:
    'Drops the oldest turns until the conversation fits a budget of tokens, as estimated from its characters; an ' +
    'image, a file or audio counts as 1,000. System prompts, the last message of the user and the last exchange after it ' +
    'stay, even if they alone exceed the budget. A tool call is never separated from its results.',
  params: closedParams({
    max_tokens: Type.Integer({ minimum: 1, description: 'The budget for all messages together.' }),
  }),
  run(request, { max_tokens }, tools) {
    const remaining = new Set(request.messages)
    let tokens = request.messages.reduce((sum, message) => sum + tokensOf(message, tools), 0)
    for (const exchange of droppable(request.messages)) {
      if (tokens <= max_tokens) break
      for (const message of exchange) remaining.delete(message)
      tokens -= exchange.reduce((sum, message) => sum + tokensOf(message, tools), 0)
    }
    const messages = request.messages.filter((message) => remaining.has(message))
    return messages.length === request.messages.length ? request : { ...request, messages }
  },
})

/**
 * The order in which messages may be dropped: whole turns first, then the older exchanges of the last turn, except for its
 * question.
 */
function droppable(messages: readonly Message[]): Message[][] {
  const turns = grouped(
    messages.filter((message) => !isInstruction(message)),
    ({ role }) => role === 'user',
  )
  const [question, ...followUp] = turns.pop() ?? []
  const isAnswer = ({ role }: Message) => role !== 'tool' && role !== 'function'
  const exchanges = grouped(question?.role === 'user' ? followUp : [], isAnswer)
  return [...turns, ...exchanges.slice(0, -1)]
}

function grouped(messages: readonly Message[], isFirst: (message: Message) => boolean): Message[][] {
  const groups: Message[][] = []
  for (const message of messages) {
    const group = groups.at(-1)
    if (!group || isFirst(message)) groups.push([message])
    else group.push(message)
  }
  return groups
}

function tokensOf(message: Message, { estimateTokens }: PreTools): number {
  const { content, tool_calls, function_call, provider_content } = message
  const calls = tool_calls ?? function_call
  const carried = provider_content ? estimateTokens(JSON.stringify(provider_content)) : 0
  const textTokens = typeof content === 'string' ? estimateTokens(content) : 0
  const parts = Array.isArray(content) ? content : []
  return parts.reduce(
    (sum, part) => sum + (part.type === 'text' ? estimateTokens(part.text) : MEDIA_TOKENS),
    MESSAGE_TOKENS + textTokens + carried + (calls ? estimateTokens(JSON.stringify(calls)) : 0),
  )
}
