import { diarizationOf, type Said } from './said-by.ts'
import { reportedSeconds } from './reported-seconds.ts'

type TranscribedRecording = {
  text: string
  said: readonly Said[]
  /** How long the recording is, as the provider says. */
  seconds: number | null | undefined
}

/** What came of a recording that is sold by the second; the guess is for a provider that does not say how many. */
export function transcribedRecording<Original>(
  { text, said, seconds }: TranscribedRecording,
  original: Original,
  guess: number,
) {
  return { output: { text, diarization: diarizationOf(said) }, original, ...reportedSeconds(seconds, guess) }
}
