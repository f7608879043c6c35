import type { Query } from '../../api/client.ts'
import { ConfirmedBulk } from '../../parts/confirmed-bulk.tsx'
import { Dialog } from '../../parts/dialog.tsx'

type Props = { filter: Query; onClose: () => void; onDone: () => void }

/** Over everything that passes the filter of the screen, not only over what it shows. */
export function RevokeAll({ filter, onClose, onDone }: Props) {
  const words = Object.entries(filter).map(([name, value]) => `${name} ${value}`)
  return (
    <Dialog title="Revoke all filtered keys" onClose={onClose}>
      <div class="stack">
        <p class="faint">{words.length > 0 ? words.join(', ') : 'No filter: all keys that you can change.'}</p>
        <p>Requests with these keys are refused from now on. This cannot be undone. Admin keys are not affected.</p>
        <ConfirmedBulk
          path="/admin/keys/bulk"
          body={{ action: 'revoke', filter }}
          verb="Revoke"
          noun="key"
          onDone={onDone}
        />
      </div>
    </Dialog>
  )
}
