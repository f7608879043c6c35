import { useState } from 'preact/hooks'
import { sendJson } from '../../../api/client.ts'
import { CodeBlock } from '../../../parts/code-block.tsx'
import { money } from '../../../parts/format.ts'
import { Failure } from '../../../parts/notice.tsx'
import type { ChatBody } from './chat-body.ts'

type Explained = {
  targets: { model: string; provider: string; estimated_cost: number | null; request: object | null; notes: Note[] }[]
}
type Note = { field: string; action: string; reason: string }

/** What would be sent, to whom, for how much. No provider is called. */
export function Explain({ body }: { body: ChatBody }) {
  const [found, setFound] = useState<Explained>()
  const [error, setError] = useState<Error>()
  const ask = async () => {
    setError(undefined)
    await sendJson('POST', '/admin/explain', body).then(setFound, setError)
  }
  return (
    <section class="stack">
      <p class="faint">A dry run for a key that has no limits: the gateway sends no request and spends nothing.</p>
      <p>
        <button type="button" class="primary" onClick={ask}>
          Explain {body.model}
        </button>
      </p>
      <Failure error={error} />
      {found?.targets.map((target, at) => (
        <section class="panel" key={target.model}>
          <h2>
            {at + 1}. {target.model} at {target.provider}: {money(target.estimated_cost, true)}
          </h2>
          <ul>
            {target.notes.map(({ field, action, reason }) => (
              <li key={field + action}>
                <code>{field}</code> {action.replaceAll('_', ' ')}: {reason}
              </li>
            ))}
          </ul>
          {target.request && <CodeBlock label="the request" text={JSON.stringify(target.request, null, 2)} />}
        </section>
      ))}
    </section>
  )
}
