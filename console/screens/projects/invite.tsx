import { useState } from 'preact/hooks'
import type { CreatedInvitation } from '../../../src/contract/admin/members.ts'
import { sendJson } from '../../api/client.ts'
import { useSend } from '../../api/use-send.ts'
import { CodeBlock } from '../../parts/code-block.tsx'
import { Dialog } from '../../parts/dialog.tsx'
import { SelectField, TextField } from '../../parts/fields.tsx'
import { moment } from '../../parts/format.ts'
import { Failure } from '../../parts/notice.tsx'
import { FIRST_GRANT, grantOf, RoleFields } from './role-fields.tsx'

const HOURS = { '24': '1 day', '72': '3 days', '168': '1 week', '720': '30 days' }

type Props = { onClose: () => void; onInvited: () => void }

export function Invite({ onClose, onInvited }: Props) {
  const [created, setCreated] = useState<CreatedInvitation>()
  const invited = (invitation: CreatedInvitation) => {
    setCreated(invitation)
    onInvited()
  }
  return (
    <Dialog title={created ? 'Invitation link' : 'Invite a person'} onClose={onClose}>
      {created ? <Link of={created} onDone={onClose} /> : <Form onInvited={invited} />}
    </Dialog>
  )
}

function Form({ onInvited }: { onInvited: (invitation: CreatedInvitation) => void }) {
  const [email, setEmail] = useState('')
  const [grant, setGrant] = useState(FIRST_GRANT)
  const [hours, setHours] = useState<keyof typeof HOURS>('72')
  const { error, isSending, send } = useSend()
  const submit = (event: SubmitEvent) => {
    event.preventDefault()
    const body = { email, expires_in_hours: Number(hours), ...grantOf(grant) }
    void send(async () => onInvited(await sendJson('POST', '/admin/invitations', body)))
  }
  return (
    <form class="stack" onSubmit={submit}>
      <div class="form-grid">
        <TextField label="E-mail" type="email" isRequired value={email} set={setEmail} />
        <RoleFields grant={grant} set={setGrant} />
        <SelectField label="Link valid for" value={hours} set={setHours} choices={HOURS} />
      </div>
      <Failure error={error} />
      <button type="submit" class="primary" disabled={isSending}>
        Create link
      </button>
    </form>
  )
}

function Link({ of: { url, email, expires_at: end }, onDone }: { of: CreatedInvitation; onDone: () => void }) {
  return (
    <div class="stack">
      <p>
        Send this link to <b>{email}</b>: the gateway sends no e-mail. It works once, until {moment(end)}, and is shown
        only here.
      </p>
      <CodeBlock label="the link" text={url} />
      <button type="button" class="primary" onClick={onDone}>
        Done
      </button>
    </div>
  )
}
