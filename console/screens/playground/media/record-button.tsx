import { useEffect, useRef, useState } from 'preact/hooks'
import { Failure } from '../../../parts/notice.tsx'

const MAX_MS = 600_000

/** Records with the microphone. The recording leaves the browser only when it is handed over. */
export function RecordButton({ onRecorded }: { onRecorded: (recording: File) => void }) {
  const [isRecording, setRecording] = useState(false)
  const [error, setError] = useState<Error>()
  const recorder = useRef<MediaRecorder | undefined>(undefined)
  const stop = () => recorder.current?.state === 'recording' && recorder.current.stop()
  useEffect(() => () => void stop(), [])
  const start = async () => {
    setError(undefined)
    const stream = await microphone().catch((thrown: Error) => void setError(thrown))
    if (!stream) return
    const made = new MediaRecorder(stream)
    const parts: Blob[] = []
    recorder.current = made
    made.ondataavailable = ({ data }) => parts.push(data)
    made.onstop = () => {
      for (const track of stream.getTracks()) track.stop()
      clearTimeout(timer)
      setRecording(false)
      onRecorded(fileOf(parts, made.mimeType))
    }
    const timer = setTimeout(stop, MAX_MS)
    made.start()
    setRecording(true)
  }
  return (
    <>
      <button type="button" aria-pressed={isRecording} onClick={() => (isRecording ? stop() : void start())}>
        {isRecording ? '■ Stop recording' : '● Record'}
      </button>
      <Failure error={error} />
    </>
  )
}

function fileOf(parts: Blob[], mimeType: string): File {
  const type = mimeType.split(';')[0] || 'audio/webm'
  return new File(parts, `recording.${type.split('/')[1]}`, { type })
}

/** A page without TLS on another machine than this one has no microphone. */
async function microphone(): Promise<MediaStream> {
  try {
    return await navigator.mediaDevices.getUserMedia({ audio: true })
  } catch {
    throw new Error('The browser gives no access to a microphone. Upload a file instead.')
  }
}
