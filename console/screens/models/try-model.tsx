import { useState } from 'preact/hooks'
import type { TestedModel } from '../../../src/contract/admin/providers.ts'
import { pathWith, sendJson } from '../../api/client.ts'
import { may, mayIn } from '../../api/session.ts'
import { useAnswer } from '../../api/use-answer.ts'
import { useSend } from '../../api/use-send.ts'
import { Dialog } from '../../parts/dialog.tsx'
import { SelectField } from '../../parts/fields.tsx'
import { duration, money } from '../../parts/format.ts'
import { Failure } from '../../parts/notice.tsx'

type Props = { model: string; onClose: () => void }

/** A real call for one token. A project pays, and its rules and limits apply. */
export function TryModel({ model, onClose }: Props) {
  const [project, setProject] = useState('')
  const [result, setResult] = useState<TestedModel>()
  const { error, isSending, send } = useSend()
  const body = { model, ...(project && { project }) }
  const run = () => {
    setResult(undefined)
    void send(async () => setResult(await sendJson('POST', '/admin/models/test', body)))
  }
  return (
    <Dialog title={`Try ${model}`} onClose={onClose}>
      <div class="stack">
        <p>Sends a request for one token. The request is real: it is billed, and appears in Requests.</p>
        <div class="filters">
          <SelectField label="Billed to" value={project} set={setProject} choices={usePayers()} />
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

/** Where the person may make keys. */
function usePayers(): Record<string, string> {
  const { value } = useAnswer(may('projects.read') ? '/admin/projects' : undefined, { limit: 1000 })
  const projects =
    value?.items.filter(
      ({ id, organization }) => id !== 'personal' && mayIn('keys.write', { organization, project: id }),
    ) ?? []
  return { '': 'Personal', ...Object.fromEntries(projects.map(({ id, name }) => [id, name])) }
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
