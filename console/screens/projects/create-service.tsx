import { useState } from 'preact/hooks'
import { sendJson } from '../../api/client.ts'
import { useSend } from '../../api/use-send.ts'
import { Dialog } from '../../parts/dialog.tsx'
import { TextField } from '../../parts/fields.tsx'
import { Failure } from '../../parts/notice.tsx'
import { toast } from '../../parts/toast.tsx'
import { FIRST_GRANT, grantOf, RoleFields } from './role-fields.tsx'

type Props = { onClose: () => void; onCreated: () => void }

/** An account for a program that calls the admin API. It cannot sign in; it has tokens. */
export function CreateService({ onClose, onCreated }: Props) {
  const [name, setName] = useState('')
  const [grant, setGrant] = useState(FIRST_GRANT)
  const { error, isSending, send } = useSend()
  const submit = (event: SubmitEvent) => {
    event.preventDefault()
    void send(async () => {
      await sendJson('POST', '/admin/users', { kind: 'service', name, ...grantOf(grant) })
      toast(`${name} created. Open it to create its first token.`)
      onCreated()
      onClose()
    })
  }
  return (
    <Dialog title="New service account" onClose={onClose}>
      <form class="stack" onSubmit={submit}>
        <div class="form-grid">
          <TextField label="Name" isRequired maxLength={200} value={name} set={setName} placeholder="terraform" />
          <RoleFields grant={grant} set={setGrant} />
        </div>
        <Failure error={error} />
        <button type="submit" class="primary" disabled={isSending}>
          Create service account
        </button>
      </form>
    </Dialog>
  )
}
