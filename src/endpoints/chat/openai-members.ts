import type { ChatChunk, ChatCompletion } from '../../contract/chat-reply.ts'

// Members that OpenAI always sends and its clients read without checking. Translated answers have them, too.

export function completeAnswer({ choices }: ChatCompletion): void {
  for (const choice of choices) {
    choice.logprobs ??= null
    choice.message.refusal ??= null
  }
}

/** In a stream, `refusal` comes with the role. */
export function completeChunk({ choices }: ChatChunk): void {
  for (const choice of choices) {
    choice.logprobs ??= null
    if (choice.delta?.role) choice.delta.refusal ??= null
  }
}
