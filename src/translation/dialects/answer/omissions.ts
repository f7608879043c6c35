import { type Answer, type AnswerChunk, Internal, isNative } from '../../wire/answer.ts'
import { recordOf, recordsIn, textOf } from '../../../base/schema/record.ts'
import type { Note } from '../chat-codec.ts'
import { Notes } from '../notes.ts'

// What an answer contained and our format does not carry. An answer that keeps the provider's own form lacks nothing.

export function notesOfCompletion(completion: Answer): Note[] {
  if (Internal.read(completion.nativeReply)) return NONE
  return omissionsIn(completion.choices.map(({ message }) => message))
}

export function notesOfChunk(chunk: AnswerChunk): Note[] {
  for (const { delta } of chunk.choices)
    if (delta?.provider_content?.omitted) return isNative(chunk) ? NONE : omissionsIn(chunk.choices.map(deltaOf))
  return NONE
}

function deltaOf({ delta }: AnswerChunk['choices'][number]): object {
  return delta
}

function omissionsIn(messages: readonly object[]): Note[] {
  const notes = new Notes()
  for (const message of messages) {
    const { provider_content } = message as { provider_content?: unknown }
    for (const { type, reason } of recordsIn(recordOf(provider_content).omitted))
      notes.dropped('provider_content', `${textOf(type).slice(0, MAX_TYPE_CHARS)}: ${textOf(reason)}`)
  }
  return notes.list
}

const MAX_TYPE_CHARS = 64
const NONE: Note[] = []
