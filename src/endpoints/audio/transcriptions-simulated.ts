import type { TaskFile } from '../../translation/tasks/feature.ts'

const SECONDS = 2
const LANGUAGE = 'english'

/** The sandbox's transcript of any recording. */
export function simulatedTranscript({ size }: TaskFile) {
  const text = `A recording of ${size} bytes.`
  const segment = { id: 0, start: 0, end: SECONDS, text, speaker: 'A' }
  const usage = { type: 'duration', seconds: SECONDS }
  return { language: LANGUAGE, duration: SECONDS, text, segments: [segment], usage }
}
