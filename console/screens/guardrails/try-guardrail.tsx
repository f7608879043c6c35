import { useState } from 'preact/hooks'
import type { TestedGuardrail, TestGuardrailRequest } from '../../../src/contract/admin/guardrails.ts'
import { sendJson } from '../../api/client.ts'
import { useSend } from '../../api/use-send.ts'
import { CodeBlock } from '../../parts/code-block.tsx'
import { AreaField } from '../../parts/fields.tsx'
import { money } from '../../parts/format.ts'
import { Failure } from '../../parts/notice.tsx'
import { findingText } from './examples.ts'

type Guardrail = Pick<TestGuardrailRequest, 'guardrail' | 'checks' | 'action' | 'timeout_ms'>

/** What the guardrail would do with a text. `guardrail` throws what is wrong with a draft. */
export function TryGuardrail({ guardrail }: { guardrail: () => Guardrail }) {
  const [text, setText] = useState('')
  const [result, setResult] = useState<TestedGuardrail>()
  const { error, isSending, send } = useSend()
  const tryOut = () =>
    send(async () => {
      setResult(undefined)
      setResult(await sendJson('POST', '/admin/guardrails/test', { ...guardrail(), text }))
    })
  return (
    <section class="stack" aria-label="Try it">
      <AreaField label="Text to try" value={text} set={setText} rows={3} placeholder="Write to zoe@example.com." />
      <div class="actions">
        <button type="button" disabled={isSending || text === ''} onClick={() => void tryOut()}>
          Try
        </button>
      </div>
      <Failure error={error} />
      <div aria-live="polite">{result && <Result of={result} />}</div>
    </section>
  )
}

const LOOKS = { passed: 'good', flagged: 'warn', redacted: 'warn', blocked: 'bad', failed: 'bad' } as const

function Result({ of: { outcome, found, failed, text, cost } }: { of: TestedGuardrail }) {
  return (
    <>
      <p>
        <span class={`status ${LOOKS[outcome]}`}>{outcome}</span> {found.map(findingText).join(', ')}
      </p>
      {failed.length > 0 && <p class="reason">Failed: {failed.map(findingText).join(', ')}</p>}
      {outcome === 'redacted' && text !== null && <CodeBlock label="the text" text={text} />}
      {cost !== null && cost > 0 && <p>Cost: {money(cost)}.</p>}
    </>
  )
}
