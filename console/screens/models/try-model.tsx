import { useState } from 'preact/hooks'
import type { TestedModel } from '../../../src/contract/admin/providers.ts'
import { pathWith, sendJson } from '../../api/client.ts'
import { useSend } from '../../api/use-send.ts'
import { BilledTo } from '../../parts/billed-to.tsx'
import { Dialog } from '../../parts/dialog.tsx'
import { duration, money } from '../../parts/format.ts'
import { Failure } from '../../parts/notice.tsx'
import { PERSONAL } from '../../parts/payers.ts'

type Props = { model: string; onClose: () => void }

/** A real call for one token. A project pays, and its rules and limits apply. */
export function TryModel({ model, onClose }: Props) {
  const [project, setProject] = useState(PERSONAL)
  const [result, setResult] = useState<TestedModel>()
  const { error, isSending, send } = useSend()
  const run = () => {
    setResult(undefined)
    void send(async () => setResult(await sendJson('POST', '/admin/models/test', { model, project })))
  }
  return (
    <Dialog title={`Try ${model}`} onClose={onClose}>
      <div class="stack">
        <p>Sends a request for one token. The request is real: it is billed, and appears in Requests.</p>
        <div class="filters">
          <BilledTo value={project} set={setProject} />
          <button type="button" class="primary" onClick={run} disabled={isSending}>
            {isSending ? 'Sending…' : 'Send request'}
          </button>
        </div>
        <div role="status">{result && <Result of={result} />}</div>
        <Failure error={error} />
      </div>
    </Dialog>
  )
}

function Result({
  of: { answered, model, attempts, duration_ms: ms, cost, error, request_id: id },
}: {
  of: TestedModel
}) {
  return (
    <p>
      <span class={`status ${answered ? 'good' : 'bad'}`}>{answered ? 'Answered' : 'Failed'}</span>
      {model && ` (${model})`} in {duration(ms)}, with {attempts} {attempts === 1 ? 'attempt' : 'attempts'}, for{' '}
      {money(cost)}. {error && `${error.code}: ${error.message} `}
      <a href={pathWith('/requests', { call: id })}>View request</a>
    </p>
  )
}
