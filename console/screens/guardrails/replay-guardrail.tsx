import { useState } from 'preact/hooks'
import type { ReplayedGuardrail, ReplayGuardrailRequest } from '../../../src/contract/admin/guardrails.ts'
import { pathWith, sendJson } from '../../api/client.ts'
import { may } from '../../api/session.ts'
import { useAnswer } from '../../api/use-answer.ts'
import { useSend } from '../../api/use-send.ts'
import { SelectField, TextField } from '../../parts/fields.tsx'
import { count, money, plural } from '../../parts/format.ts'
import { Failure } from '../../parts/notice.tsx'
import type { Column } from '../../parts/table/column.ts'
import { Table } from '../../parts/table/table.tsx'
import { checkTitle, findingText } from './examples.ts'

type Guardrail = Pick<ReplayGuardrailRequest, 'guardrail' | 'checks' | 'action' | 'phases' | 'timeout_ms'>
type Props = {
  /** Throws what is wrong with a draft. */
  guardrail: () => Guardrail
  /** That whose calls it would check. */
  project?: string
}

const CALLS = { '50': 'Last 50', '100': 'Last 100', '200': 'Last 200' }

/** What the guardrail would have done with calls whose contents are kept, before it enforces anything. */
export function ReplayGuardrail({ guardrail, project: own = '' }: Props) {
  const [project, setProject] = useState(own)
  const [calls, setCalls] = useState<keyof typeof CALLS>('50')
  const [ask, setAsk] = useState(false)
  const [result, setResult] = useState<ReplayedGuardrail>()
  const { error, isSending, send } = useSend()
  const replay = () =>
    send(async () => {
      setResult(undefined)
      const request = { ...guardrail(), project, calls: Number(calls), ask }
      setResult(await sendJson('POST', '/admin/guardrails/replay', request))
    })
  return (
    <section class="stack" aria-label="Kept requests">
      <p class="faint">
        Runs the guardrail on the newest requests whose contents the project keeps, and changes nothing. Each replay is
        in the audit log.
      </p>
      <div class="form-grid">
        <ProjectField project={project} set={setProject} />
        <SelectField label="Requests" value={calls} set={setCalls} choices={CALLS} />
      </div>
      <label class="check">
        <input type="checkbox" checked={ask} onChange={() => setAsk(!ask)} />
        Also call services and models, billed to the project
      </label>
      <div class="actions">
        <button type="button" disabled={isSending || project === ''} onClick={() => void replay()}>
          {isSending ? 'Replaying…' : 'Replay'}
        </button>
      </div>
      <Failure error={error} />
      <div class="stack" aria-live="polite">
        {result && <Result of={result} />}
      </div>
    </section>
  )
}

const MOST = { limit: 1000 }

/** By their names, as far as the person may see them. */
function ProjectField({ project, set }: { project: string; set: (project: string) => void }) {
  const { value } = useAnswer(may('projects.read') ? '/admin/projects' : undefined, MOST)
  if (!value || value.items.length >= MOST.limit)
    return <TextField label="ID of the project" value={project} set={set} />
  const names = value.items.map(({ id, name, content }): [string, string] => [
    id,
    content.mode === 'off' ? `${name} (keeps nothing now)` : name,
  ])
  const choices = { '': 'Choose', ...Object.fromEntries(names) }
  return <SelectField label="Project" value={project} set={set} choices={choices} />
}

const OUTCOMES = {
  would_block: 'would be refused',
  would_redact: 'would be changed',
  flagged: 'would be reported',
  unscanned: 'could not be checked',
} as const

function Result({ of: result }: { of: ReplayedGuardrail }) {
  const { calls, passed, requests, is_complete: isComplete, not_asked: notAsked, cost } = result
  if (calls === 0) return <p>This project keeps the contents of no request.</p>
  const outcomes = Object.entries(OUTCOMES) as [keyof typeof OUTCOMES, string][]
  const seen = outcomes.filter(([outcome]) => result[outcome] > 0)
  return (
    <>
      <p>
        Of <b>{plural(calls, 'request')}</b>, <b>{count(passed)}</b> would pass untouched
        {seen.map(([outcome, words]) => (
          <span key={outcome}>
            , <b>{count(result[outcome])}</b> {words}
          </span>
        ))}
        .
      </p>
      {!isComplete && <p>Some requests were left out, because they are too long or took too much time.</p>}
      {notAsked.length > 0 && <p>Not called: {notAsked.map(checkTitle).join(', ')}.</p>}
      {cost !== 0 && <p>{cost === null ? 'Cost: not known.' : `Cost: ${money(cost)}.`}</p>}
      {requests.length > 0 && (
        <Table label="Requests in which something was found" columns={FOUND} rows={requests} keyOf={({ id }) => id} />
      )}
    </>
  )
}

const FOUND: readonly Column<ReplayedGuardrail['requests'][number]>[] = [
  {
    name: 'id',
    title: 'Request',
    isMain: true,
    cell: ({ id }) => <a href={pathWith('/requests', { call: id })}>{id}</a>,
  },
  { name: 'outcome', title: 'Outcome', cell: ({ outcome }) => OUTCOMES[outcome] },
  {
    name: 'found',
    title: 'Found',
    cell: ({ found }) => <span class="wrapped">{found.map(findingText).join(', ')}</span>,
  },
]
