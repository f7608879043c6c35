import { useState } from 'preact/hooks'
import type { RecordKeyRequest } from '../../../src/contract/admin/content.ts'
import type { KeySummary } from '../../../src/contract/admin/keys.ts'
import { pathTo, sendJson } from '../../api/client.ts'
import { useSend } from '../../api/use-send.ts'
import { SelectField, TextField } from '../../parts/fields.tsx'
import { moment } from '../../parts/format.ts'
import { Failure } from '../../parts/notice.tsx'
import { toast } from '../../parts/toast.tsx'

const TIMES = { 600: 'Ten minutes', 3600: 'An hour', 86400: 'A day', 604800: 'A week' }
const MODES = { redacted: 'Without personal data', full: 'In full' }
type Mode = keyof typeof MODES

/** What the next requests of a key ask and get is kept for a day, also if its project keeps nothing. For looking for a fault. */
export function RecordKey({ id, onChanged }: { id: string; onChanged: () => void }) {
  const [requests, setRequests] = useState('20')
  const [seconds, setSeconds] = useState('3600')
  const [mode, setMode] = useState<Mode>('redacted')
  const { error, isSending, send } = useSend()
  const asked: RecordKeyRequest = { requests: Number(requests), expires_in_seconds: Number(seconds), mode }
  const record = (event: SubmitEvent) => {
    event.preventDefault()
    void send(async () => {
      const key = await sendJson('POST', pathTo('/admin/keys/{id}/record', { id }), asked)
      toast(`Recording ${recordingText(key.recording)}.`)
      onChanged()
    })
  }
  return (
    <>
      <p class="faint">
        Keeps the content of the next requests for a day, for people with access to content. This is recorded in the
        audit log.
      </p>
      <form class="filters" onSubmit={record}>
        <TextField label="Requests" type="number" isRequired value={requests} set={setRequests} />
        <SelectField label="For up to" value={seconds} set={setSeconds} choices={TIMES} />
        <SelectField label="Content" value={mode} set={setMode} choices={MODES} />
        <button type="submit" disabled={isSending}>
          Record
        </button>
      </form>
      <Failure error={error} />
    </>
  )
}

export function recordingText(recording: KeySummary['recording']): string {
  if (!recording) return 'nothing is recorded'
  const { requests_left: left, expires_at: end, mode } = recording
  const requests = left === 1 ? 'the next request' : `the next ${left} requests`
  return `${requests} until ${moment(end)}, ${MODES[mode].toLowerCase()}`
}
