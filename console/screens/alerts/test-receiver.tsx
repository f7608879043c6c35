import { useState } from 'preact/hooks'
import type { TestAlertReply } from '../../../src/contract/admin/alerts.ts'
import { sendJson } from '../../api/client.ts'
import { may } from '../../api/session.ts'
import { useSend } from '../../api/use-send.ts'

/** Really sends a test, once, and says what the receiver answered. */
export function TestReceiver({ name }: { name: string }) {
  const [reply, setReply] = useState<TestAlertReply>()
  const { error, isSending, send } = useSend()
  const test = () => send(async () => setReply(await sendJson('POST', '/admin/alerts/test', { receiver: name })))
  if (!may('alerts.write')) return null
  return (
    <>
      <button type="button" class="small" onClick={() => void test()} disabled={isSending}>
        Send a test<span class="sr-only"> to {name}</span>
      </button>{' '}
      <span role="status" class="wrapped">
        {reply && <Outcome of={reply} />}
        {error && <span class="status bad">{error.message}</span>}
      </span>
    </>
  )
}

function Outcome({ of: { delivered, status, error } }: { of: TestAlertReply }) {
  if (delivered) return <span class="status good">accepted, {status}</span>
  return <span class="status bad">{[status, error].filter((part) => part !== null).join(', ')}</span>
}
