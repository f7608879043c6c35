import { diarizationOf, type SpokenSegment } from './diarization.ts'
import { reportedSeconds } from './reported-seconds.ts'

type TranscribedRecording = {
  text: string
  segments: readonly SpokenSegment[]
  /** The duration that the provider reports. */
  seconds: number | null | undefined
}

/** The result of a recording that is billed by the second, with an estimate if the provider reports no duration. */
export function transcribedRecording<Original>(
  { text, segments, seconds }: TranscribedRecording,
  original: Original,
  guess: number,
) {
  return { output: { text, diarization: diarizationOf(segments) }, original, ...reportedSeconds(seconds, guess) }
}
