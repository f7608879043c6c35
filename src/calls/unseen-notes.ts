import { type Answer, type AnswerChunk, Internal, isNative } from '../translation/wire/answer.ts'
import type { Note } from '../translation/dialects/chat-codec.ts'
import { unseenIn } from '../translation/formats/unseen-content.ts'
import type { Call } from './call.ts'

// What a client does not see of an answer, because its format has no shape for it. An answer that keeps the provider's own
// form, which is that of the client, lacks nothing.

/** A provider may name thousands of kinds of content. */
const MAX_NOTES = 100
const NONE: readonly Note[] = []

export function unseenInCompletion(completion: Answer, call: Call): readonly Note[] {
  const { format } = call
  if (!format || Internal.read(completion.nativeReply)) return NONE
  return newNotes(
    completion.choices.flatMap(({ message }) => unseenIn(message, format)),
    call,
  )
}

export function unseenInChunk(chunk: AnswerChunk, call: Call): readonly Note[] {
  const { format } = call
  if (!format || isNative(chunk)) return NONE
  let notes = NONE
  for (const { delta } of chunk.choices) {
    const found = unseenIn(delta ?? {}, format)
    if (found.length > 0) notes = [...notes, ...found]
  }
  return notes.length > 0 ? newNotes(notes, call) : NONE
}

/** Every piece of a stream may have the same to say. */
function newNotes(notes: readonly Note[], call: Call): readonly Note[] {
  const isKnown = (note: Note, others: readonly Note[]) =>
    others.some(({ field, reason }) => field === note.field && reason === note.reason)
  return notes
    .filter((note, at) => !isKnown(note, call.record.notes) && !isKnown(note, notes.slice(0, at)))
    .slice(0, Math.max(0, MAX_NOTES - call.record.notes.length))
}
