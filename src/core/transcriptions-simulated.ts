import type { TranscriptionFields } from '../contract/audio.ts'
import type { TaskFile } from '../features/feature.ts'

const SECONDS = 2
const LANGUAGE = 'english'

type Written = { type: string; body: string }

/** What the sandbox writes down of any recording, in every format. */
export function simulatedTranscript({ response_format }: TranscriptionFields, { size }: TaskFile): Written {
  const text = `A recording of ${size} bytes.`
  if (response_format === 'text') return plain(`${text}\n`)
  if (response_format === 'srt') return plain(`1\n00:00:00,000 --> 00:00:02,000\n${text}\n\n`)
  if (response_format === 'vtt') return plain(`WEBVTT\n\n00:00:00.000 --> 00:00:02.000\n${text}\n\n`)
  const segment = { id: 0, start: 0, end: SECONDS, text }
  const usage = { type: 'duration', seconds: SECONDS }
  if (response_format === 'verbose_json')
    return json({ task: 'transcribe', language: LANGUAGE, duration: SECONDS, text, segments: [segment], usage })
  if (response_format === 'diarized_json')
    return json({ task: 'transcribe', duration: SECONDS, text, segments: [{ ...segment, speaker: 'A' }], usage })
  return json({ text, usage })
}

function plain(body: string): Written {
  return { type: 'text/plain; charset=utf-8', body }
}

function json(value: object): Written {
  return { type: 'application/json', body: JSON.stringify(value) }
}
