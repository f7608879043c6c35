import type { Answer, AnswerChoice, AnswerChunk, AnswerDelta } from '../../wire/answer.ts'
import type { Fields } from '../../../base/schema/record.ts'

/** A whole answer as the chunks of a stream: the content of every choice, its end, and the usage. */
export function chunksOf({ choices, usage, nativeReply: _, ...head }: Answer): AnswerChunk[] {
  const toChunk = (some: AnswerChunk['choices']): AnswerChunk => ({
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

function contentOf({ message, finish_reason: _, ...choice }: AnswerChoice): AnswerChunk['choices'][number] {
  const { tool_calls, ...content } = message
  const calls = tool_calls?.map((call, index) => ({ index, ...call }))
  return { ...choice, delta: { ...content, ...(calls && { tool_calls: calls }) } as AnswerDelta, finish_reason: null }
}

function endOf({ message: _, logprobs: __, ...choice }: AnswerChoice & Fields): AnswerChunk['choices'][number] {
  return { ...choice, delta: {} } as AnswerChunk['choices'][number]
}
