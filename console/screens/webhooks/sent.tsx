import type { DeliveryRecord } from '../../../src/contract/admin/deliveries.ts'
import { apiUrl } from '../../api/api-url.ts'
import { CodeBlock } from '../../parts/code-block.tsx'
import { ContentsRefused } from '../../parts/notice.tsx'

type Props = { body: string | null; mayRead: boolean; onWant: (() => void) | undefined }

/** The bytes as they are sent: signatures are over them, not over what they mean. */
export function SentBytes({ body, mayRead, onWant }: Props) {
  return (
    <>
      <h3>Body</h3>
      {onWant && (
        <p>
          <button type="button" onClick={onWant}>
            Show body and answers
          </button>{' '}
          <span class="faint">This is recorded in the audit log.</span>
        </p>
      )}
      {body !== null && <CodeBlock label="the bytes" text={body} />}
      {body === null && !onWant && mayRead && <p class="faint">Too long to show, or still being sent.</p>}
      {!mayRead && <ContentsRefused />}
    </>
  )
}

/** What a receiver needs to verify it. */
export function PublicKeys({ keys }: { keys: DeliveryRecord['public_keys'] }) {
  if (!keys) return null
  return (
    <>
      <h3>Public keys</h3>
      <details>
        <summary>RSA, for X-Service-Signature</summary>
        <CodeBlock label="the RSA key" text={keys.rsa} />
      </details>
      <details>
        <summary>Ed25519, for webhook-signature</summary>
        <CodeBlock label="the Ed25519 key" text={keys.ed25519} />
      </details>
      <p class="faint">
        Receivers get them from <code>{apiUrl()}/v3/webhooks/public-key</code> and <code>…/ed25519</code>, with an API
        key of the gateway.
      </p>
    </>
  )
}
