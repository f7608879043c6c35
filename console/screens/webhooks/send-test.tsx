import { useState } from 'preact/hooks'
import type { TestDelivery } from '../../../src/contract/admin/deliveries.ts'
import { sendJson } from '../../api/client.ts'
import { CodeBlock } from '../../parts/code-block.tsx'
import { Dialog } from '../../parts/dialog.tsx'
import { duration } from '../../parts/format.ts'
import { Failure } from '../../parts/notice.tsx'
import { headerLines } from './attempts.tsx'

/** A signed webhook to a receiver of choice, once. Nothing of it is kept but a line of the audit log. */
export function SendTest({ onClose }: { onClose: () => void }) {
  const [url, setUrl] = useState('')
  const [isBusy, setBusy] = useState(false)
  const [result, setResult] = useState<TestDelivery>()
  const [error, setError] = useState<Error>()
  const send = async (event: Event) => {
    event.preventDefault()
    setBusy(true)
    setError(undefined)
    setResult(undefined)
    await sendJson('POST', '/admin/deliveries/test', { url }).then(setResult, setError)
    setBusy(false)
  }
  return (
    <Dialog title="Send a test" onClose={onClose}>
      <form class="stack" onSubmit={send}>
        <label>
          Receiver
          <input
            type="url"
            required
            value={url}
            placeholder="https://your-receiver.example/hook"
            onInput={(event) => setUrl(event.currentTarget.value)}
          />
        </label>
        <button type="submit" class="primary" disabled={isBusy}>
          {isBusy ? 'Sending…' : 'Send test'}
        </button>
      </form>
      <Failure error={error} />
      {result && <Result of={result} />}
    </Dialog>
  )
}

function Result({ of: { delivered, status, error, duration_ms: ms, answer, headers, body } }: { of: TestDelivery }) {
  return (
    <section aria-label="Result" aria-live="polite">
      <p>
        <span class={`status ${delivered ? 'good' : 'bad'}`}>{delivered ? 'delivered' : 'not delivered'}</span>{' '}
        {status !== null && `status ${status}, `}
        {duration(ms)}
      </p>
      {error && <p class="reason">{error}</p>}
      {answer && <h3>Start of the answer</h3>}
      {answer && <CodeBlock label="the answer" text={answer} />}
      <h3>Sent</h3>
      <CodeBlock label="what was sent" text={`${headerLines(headers)}\n\n${body}`} />
    </section>
  )
}
