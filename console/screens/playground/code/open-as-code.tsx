import { useState } from 'preact/hooks'
import { apiUrl } from '../../../api/api-url.ts'
import { Dialog } from '../../../parts/dialog.tsx'
import { SamplesCard } from '../../../parts/samples/samples-card.tsx'
import { type SampleKind, sampleOf } from './sample-requests.ts'

type Props = { kind: SampleKind; body: object }

/** A button that shows the request as a program. */
export function OpenAsCode(props: Props) {
  const [isOpen, setOpen] = useState(false)
  return (
    <>
      <button type="button" class="small" onClick={() => setOpen(true)}>
        Open as code
      </button>
      {isOpen && (
        <Dialog title="The request as code" isDrawer onClose={() => setOpen(false)}>
          <CodeOf {...props} />
        </Dialog>
      )}
    </>
  )
}

export function CodeOf({ kind, body }: Props) {
  return (
    <>
      <p class="faint">
        Programs need an <a href="/keys">API key</a>: your access in this console ends with your session.
      </p>
      <SamplesCard request={sampleOf(kind, body, apiUrl())} />
    </>
  )
}
