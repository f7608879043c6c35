import { score } from '../fields/score.ts'

export type SpokenSegment = {
  segment: string
  start: number | null
  end: number | null
  /** The provider's own name of the speaker; undefined if it does not tell speakers apart. */
  speaker: string | number | undefined
  confidence: number | null
}

/** Segments by speaker: speakers are numbered from 1 in the order in which they speak, times are in seconds. */
export function diarizationOf(segments: readonly SpokenSegment[]) {
  const names = [...new Set(segments.flatMap(({ speaker }) => (speaker === undefined ? [] : [speaker])))]
  if (names.length === 0) return { total_speakers: 0, entries: [], error_message: null }
  const entries = segments.map(({ segment, start, end, speaker, confidence }) => ({
    segment,
    start_time: start === null ? null : String(start),
    end_time: end === null ? null : String(end),
    speaker: speaker === undefined ? 1 : names.indexOf(speaker) + 1,
    confidence: confidence === null ? null : score(confidence),
  }))
  return { total_speakers: names.length, entries, error_message: null }
}
