import { OneOfTasks } from '../tasks/tasks.tsx'
import type { BenchProps } from '../workbench.tsx'

/** What was said in a recording or a file, as a text. */
export function Transcription(props: BenchProps) {
  return <OneOfTasks {...props} task="audio/speech_to_text_async" />
}
