import type { ChatChunk, ChatCompletion, Choice, Delta } from '../../contract/chat-reply.ts'
import type { Fields } from '../../schema/record.ts'

/** A whole answer as the chunks of a stream: the content of every choice, its end, and the usage. */
export function chunksOf({ choices, usage, ...head }: ChatCompletion): ChatChunk[] {
  const toChunk = (some: ChatChunk['choices']): ChatChunk => ({
    ...head,
    object: 'chat.completion.chunk',
    choices: some,
  })
  return [
    ...choices.map((choice) => toChunk([contentOf(choice)])),
    ...choices.map((choice) => toChunk([endOf(choice)])),
    ...(usage ? [{ ...toChunk([]), usage }] : []),
  ]
}

function contentOf({ message, finish_reason: _, ...choice }: Choice): ChatChunk['choices'][number] {
  const { tool_calls, ...said } = message
  const calls = tool_calls?.map((call, index) => ({ index, ...call }))
  return { ...choice, delta: { ...said, ...(calls && { tool_calls: calls }) } as Delta, finish_reason: null }
}

function endOf({ message: _, logprobs: __, ...choice }: Choice & Fields): ChatChunk['choices'][number] {
  return { ...choice, delta: {} } as ChatChunk['choices'][number]
}
