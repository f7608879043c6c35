import { type Fields, recordsIn } from '../../../base/schema/record.ts'
import { toNumber, toText } from '../../../base/schema/to-primitive.ts'

/** The text of a recording, with times in seconds if they are known. */
export type Transcript = {
  text: string
  language?: string | undefined
  duration?: number | undefined
  segments: readonly Segment[]
  words: readonly Word[]
}

export type Segment = { start: number; end: number; text: string; speaker?: string | undefined }
export type Word = { word: string; start: number; end: number; speaker?: string | undefined }

/** A pause this long, or a line this long, ends a segment. */
const PAUSE_SECONDS = 1
const LINE_CHARS = 84

/** Joins words into readable lines: a new line starts with a new speaker, after a pause, or when the line is full. */
export function segmentsOf(words: readonly Word[]): Segment[] {
  const segments: Segment[] = []
  for (const { word, start, end, speaker } of words) {
    const last = segments.at(-1)
    const goesOn = last && last.speaker === speaker && start - last.end < PAUSE_SECONDS
    if (goesOn && last.text.length + word.length < LINE_CHARS)
      Object.assign(last, { end, text: `${last.text} ${word}` })
    else segments.push({ start, end, text: word, speaker })
  }
  return segments
}

/** Reads a provider's JSON transcript. Without times it is one segment. */
export function readTranscript(value: Fields): Transcript {
  const text = toText(value.text ?? '')
  const duration = typeof value.duration === 'number' ? value.duration : undefined
  const reported = recordsIn(value.segments).map(({ start, end, text, speaker }) => ({
    start: toNumber(start ?? 0),
    end: toNumber(end ?? start ?? 0),
    text: toText(text ?? '').trim(),
    speaker: typeof speaker === 'string' ? speaker : undefined,
  }))
  const whole = { start: 0, end: duration ?? 0, text: text.trim() }
  return { text, duration, segments: reported.length > 0 ? reported : [whole], words: [] }
}
