import { eventText } from '../event-text.ts'
import type { Segment, Transcript } from './transcript.ts'
import { HOUR_MS, MINUTE_MS, SECOND_MS } from '../../../base/units/units.ts'

export type JsonFormat = 'json' | 'verbose_json' | 'diarized_json'
export type TextFormat = 'text' | 'srt' | 'vtt'

/** Writes a transcript as text, in the formats that media players read. */
export function writeText({ text, segments }: Transcript, format: TextFormat): string {
  if (format === 'text') return `${text.trim()}\n`
  if (format === 'vtt') return `WEBVTT\n\n${segments.map((segment) => cue(segment, '.')).join('')}`
  return segments.map((segment, index) => `${index + 1}\n${cue(segment, ',')}`).join('')
}

/** Writes a transcript as JSON in the requested format. */
export function writeJson(transcript: Transcript, format: JsonFormat, granularities: readonly string[] = []): object {
  const { text, duration, segments, words, language } = transcript
  if (format === 'json') return { text }
  if (format === 'diarized_json')
    return {
      task: 'transcribe',
      duration,
      text,
      segments: segments.map((segment, index) => openaiSegment(segment, index)),
    }
  return {
    task: 'transcribe',
    language,
    duration,
    text,
    segments: segments.map(({ start, end, text }, id) => ({ id, start, end, text })),
    ...(granularities.includes('word') && { words: words.map(({ word, start, end }) => ({ word, start, end })) }),
  }
}

/** Writes a complete transcript as the events of a stream. */
export function writeEvents(text: string, about: object): string {
  const delta = eventText({ type: 'transcript.text.delta', delta: text })
  return delta + eventText({ type: 'transcript.text.done', text, ...about })
}

function openaiSegment({ start, end, text, speaker }: Segment, index: number) {
  return { type: 'transcript.text.segment', id: `seg_${index}`, start, end, text, speaker: speaker ?? 'A' }
}

function cue({ start, end, text }: Segment, point: string): string {
  return `${clock(start, point)} --> ${clock(end, point)}\n${text}\n\n`
}

function clock(seconds: number, point: string): string {
  const ms = Math.round(Math.max(0, seconds) * 1_000)
  const [hours, minutes, rest] = [
    Math.floor(ms / HOUR_MS),
    Math.floor(ms / MINUTE_MS) % 60,
    Math.floor(ms / SECOND_MS) % 60,
  ]
  const parts = [hours, minutes, rest].map((part) => String(part).padStart(2, '0'))
  return `${parts.join(':')}${point}${String(ms % 1_000).padStart(3, '0')}`
}
