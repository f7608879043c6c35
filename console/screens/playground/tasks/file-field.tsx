import { useId, useState } from 'preact/hooks'
import type { UploadedFile } from '../../../../src/contract/files.ts'
import { openAnswer, pathTo } from '../../../api/client.ts'
import { useSend } from '../../../api/use-send.ts'
import { TextField } from '../../../parts/fields.tsx'
import { Failure } from '../../../parts/notice.tsx'
import { Player } from '../media/player.tsx'
import { RecordButton } from '../media/record-button.tsx'
import type { Who } from '../who/who-fields.tsx'

type Props = {
  label: string
  value: string
  set: (text: string) => void
  isRequired: boolean
  /** Whether it can be recorded with the microphone. */
  isRecorded: boolean
  who: Who
}

/** A file, which is uploaded at once when it is chosen, dropped or recorded; or the address or the id of one. */
export function FileField({ label, value, set, isRequired, isRecorded, who }: Props) {
  const id = useId()
  const { error, isSending, send } = useSend()
  const [recording, setRecording] = useState<File>()
  const take = (file: File | undefined) => {
    if (file) void send(async () => set((await upload(file, who)).file_id))
  }
  const drop = (event: DragEvent) => {
    event.preventDefault()
    take(event.dataTransfer?.files[0])
  }
  const record = (file: File) => {
    setRecording(file)
    take(file)
  }
  return (
    // biome-ignore lint/a11y/useSemanticElements: a fieldset cannot be laid out as one row
    <div
      class="file-field"
      role="group"
      aria-labelledby={id}
      onDragOver={(event) => event.preventDefault()}
      onDrop={drop}
    >
      <span id={id} class="label">
        {label}
      </span>
      <div class="row">
        <label>
          Upload a file
          <input type="file" disabled={isSending} onChange={({ currentTarget: { files } }) => take(files?.[0])} />
        </label>
        {isRecorded && <RecordButton onRecorded={record} />}
      </div>
      <TextField label="or a URL or file id" value={value} set={set} isRequired={isRequired} placeholder="https://…" />
      {recording && <Player audio={recording} />}
      <p class="faint" role="status">
        {isSending ? 'Uploading…' : ''}
      </p>
      <Failure error={error} />
    </div>
  )
}

async function upload(file: File, who: Who): Promise<UploadedFile> {
  const body = new FormData()
  body.set('purpose', 'playground')
  body.set('expires_in_days', '1')
  body.set('file', file)
  // A form of another page cannot have this header.
  const headers = { 'x-gatehouse-form': 'console' }
  const answer = await openAnswer(pathTo('/admin/playground/upload', {}, who), { method: 'POST', headers, body })
  return (await answer.json()) as UploadedFile
}
