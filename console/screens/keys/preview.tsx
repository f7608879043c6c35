import { useEffect, useState } from 'preact/hooks'
import type { KeyPreview, PreviewKeyRequest } from '../../../src/contract/admin/keys.ts'
import { sendJson } from '../../api/client.ts'
import { ENDPOINTS } from '../../parts/endpoints.ts'
import { count } from '../../parts/format.ts'
import { type KeyDraft, requestOf } from './key-draft.ts'

/** How long a pause in the typing has to be. */
const PAUSE_MS = 300

/** What the gateway says that this key could use, before there is one. */
export function Preview({ draft }: { draft: KeyDraft }) {
  const [preview, setPreview] = useState<KeyPreview>()
  const { name: _name, expires_at: _expires, allowed_ips: _ips, ...restrictions } = requestOf(draft)
  const text = JSON.stringify(restrictions)
  useEffect(() => {
    let isCurrent = true
    const show = (found: KeyPreview | undefined) => isCurrent && setPreview(found)
    const timer = setTimeout(() => {
      sendJson('POST', '/admin/keys/preview', JSON.parse(text) as PreviewKeyRequest).then(show, () => show(undefined))
    }, PAUSE_MS)
    return () => {
      isCurrent = false
      clearTimeout(timer)
    }
  }, [text])
  return (
    <section class="preview" aria-label="What this key can use" aria-live="polite">
      {preview ? <Found preview={preview} /> : <p class="faint">What this key can use appears here.</p>}
    </section>
  )
}

function Found({ preview: { endpoints, models, available, examples } }: { preview: KeyPreview }) {
  const titles = endpoints.map((name) => ENDPOINTS[name]).join(', ')
  return (
    <>
      <p>
        {endpoints.length === 0 ? 'No endpoints: the project and the key allow none in common.' : `${titles}.`}{' '}
        <b>{count(models)}</b> models of the catalog, <b>{count(available)}</b> of them ready to use.
      </p>
      {examples.length > 0 && (
        <p class="faint">
          {examples.join(', ')}
          {available > examples.length && ' …'}
        </p>
      )}
    </>
  )
}
