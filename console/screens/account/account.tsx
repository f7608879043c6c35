import { useState } from 'preact/hooks'
import type { Me } from '../../../src/contract/admin/own-account.ts'
import type { MIN_PASSWORD_CHARS } from '../../../src/contract/admin/person-fields.ts'
import { sendJson } from '../../api/client.ts'
import { me } from '../../api/session.ts'
import { useSend } from '../../api/use-send.ts'
import { Facts } from '../../parts/facts.tsx'
import { TextField } from '../../parts/fields.tsx'
import { Failure } from '../../parts/notice.tsx'
import { ScreenHead } from '../../parts/screen-head.tsx'
import { toast } from '../../parts/toast.tsx'
import { useProjectNames } from '../../parts/use-names.ts'
import { Sessions } from './sessions.tsx'

const MIN_CHARS: typeof MIN_PASSWORD_CHARS = 12

/** The person who has signed in: name, password, sessions. */
export default function Account() {
  const { account } = me.value!
  // A new password opens another session, and with it another list.
  return (
    <>
      <ScreenHead title="Your account" />
      <div class="account">
        {account && <Person of={account} />}
        {account && <Name key={account.name} before={account.name} />}
        {account?.has_password && <Password />}
        <Sessions key={me.value!.session} />
      </div>
    </>
  )
}

type Account = NonNullable<Me['account']>

function Person({ of: { name, email, has_password: hasPassword } }: { of: Account }) {
  const projectName = useProjectNames()
  const roles = me.value!.memberships.map(({ role, project }) =>
    project ? `${role} of ${projectName(project)}` : role,
  )
  const facts = {
    Name: name,
    'E-mail': email,
    'Signs in with': hasPassword ? 'a password' : 'an identity provider',
    Roles: roles.join(', '),
  }
  return (
    <section class="panel">
      <Facts of={facts} />
    </section>
  )
}

function Name({ before }: { before: string }) {
  const [name, setName] = useState(before)
  const { error, isSending, send } = useSend()
  const save = (event: SubmitEvent) => {
    event.preventDefault()
    void send(async () => {
      me.value = await sendJson('PATCH', '/admin/me', { name })
      toast('Name saved.')
    })
  }
  return (
    <section class="panel">
      <h2>Name</h2>
      <form class="stack" onSubmit={save}>
        <TextField label="Name" value={name} set={setName} isRequired maxLength={200} />
        <Failure error={error} />
        <button type="submit" disabled={isSending || name === before}>
          Save name
        </button>
      </form>
    </section>
  )
}

const EMPTY = { current: '', next: '' }

function Password() {
  const [{ current, next }, setDraft] = useState(EMPTY)
  const { error, isSending, send } = useSend()
  const save = (event: SubmitEvent) => {
    event.preventDefault()
    void send(async () => {
      me.value = await sendJson('PATCH', '/admin/me', { password: next, current_password: current })
      setDraft(EMPTY)
      toast('Password changed. All other sessions have ended.')
    })
  }
  return (
    <section class="panel">
      <h2>Password</h2>
      <form class="stack" onSubmit={save}>
        <TextField
          {...{ label: 'Current password', type: 'password', isRequired: true, value: current }}
          {...{ autoComplete: 'current-password', set: (text) => setDraft({ current: text, next }) }}
        />
        <TextField
          {...{ label: `New password (at least ${MIN_CHARS} characters)`, type: 'password', isRequired: true }}
          {...{ value: next, autoComplete: 'new-password', set: (text) => setDraft({ current, next: text }) }}
        />
        <p class="faint">This ends all of your other sessions.</p>
        <Failure error={error} />
        <button type="submit" disabled={isSending}>
          Change password
        </button>
      </form>
    </section>
  )
}
