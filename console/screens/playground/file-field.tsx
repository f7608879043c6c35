import type { UploadedFile } from '../../../src/contract/files.ts'
import { openAnswer, pathTo } from '../../api/client.ts'
import { useSend } from '../../api/use-send.ts'
import { TextField } from '../../parts/fields.tsx'
import { Failure } from '../../parts/notice.tsx'
import type { Who } from './who-fields.tsx'

type Props = { label: string; value: string; set: (text: string) => void; isRequired: boolean; who: Who }

/** A file of this computer, which is uploaded at once, or the address or the id of one. */
export function FileField({ label, value, set, isRequired, who }: Props) {
  const { error, isSending, send } = useSend()
  const choose = ({ currentTarget: { files } }: { currentTarget: HTMLInputElement }) => {
    const file = files?.[0]
    if (file) void send(async () => set((await upload(file, who)).file_id))
  }
  return (
    <>
      <TextField
        label={`${label}: address or id`}
        value={value}
        set={set}
        isRequired={isRequired}
        placeholder="https://… or choose a file"
      />
      <label>
        {label}: file of this computer
        <input type="file" disabled={isSending} onChange={choose} />
      </label>
      {isSending && (
        <p class="faint" role="status">
          Uploading…
        </p>
      )}
      <Failure error={error} />
    </>
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
