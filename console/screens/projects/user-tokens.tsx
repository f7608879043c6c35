import { useState } from 'preact/hooks'
import type { AdminToken, CreatedAdminToken, User } from '../../../src/contract/admin/people.ts'
import { pathTo, sendJson } from '../../api/client.ts'
import { useAnswer } from '../../api/use-answer.ts'
import { useSend } from '../../api/use-send.ts'
import { CodeBlock } from '../../parts/code-block.tsx'
import { SelectField, TextField } from '../../parts/fields.tsx'
import { moment } from '../../parts/format.ts'
import { Failure, Loading } from '../../parts/notice.tsx'
import { TwoSteps } from '../../parts/two-steps.tsx'
import { DAY_MS } from '../../../src/base/units/units.ts'

const DAYS = { '30': 'In 30 days', '90': 'In 90 days', '365': 'In a year', '0': 'Never' }

/** Tokens of a service account for the admin API. They have its roles. */
export function UserTokens({ user: { id } }: { user: User }) {
  const { value, error, reload } = useAnswer(pathTo('/admin/users/{id}/tokens', { id }))
  const [created, setCreated] = useState<CreatedAdminToken>()
  const show = (token: CreatedAdminToken) => {
    setCreated(token)
    reload()
  }
  return (
    <section>
      <h3>Tokens</h3>
      <Failure error={error} onRetry={reload} />
      {!value && !error && <Loading what="tokens" />}
      <ul class="stack">
        {value?.items
          .filter(({ revoked_at }) => !revoked_at)
          .map((token) => (
            <li key={token.id}>
              <OneToken of={token} user={id} onRevoked={reload} />
            </li>
          ))}
      </ul>
      {created && (
        <div class="stack">
          <p>Copy the token now: it is shown only once.</p>
          <CodeBlock label="the token" text={created.token} />
        </div>
      )}
      <NewToken user={id} onCreated={show} />
    </section>
  )
}

function OneToken({ of: token, user, onRevoked }: { of: AdminToken; user: string; onRevoked: () => void }) {
  const { error, send } = useSend()
  const { id, name, last4, expires_at: end, last_used_at: used } = token
  const revoke = () =>
    send(async () => {
      await sendJson('DELETE', pathTo('/admin/users/{id}/tokens/{token_id}', { id: user, token_id: id }))
      onRevoked()
    })
  return (
    <>
      <p>
        {name} <code>…{last4}</code>{' '}
        <small>
          {used ? `last used ${moment(used)}` : 'never used'}, {end ? `expires ${moment(end)}` : 'never expires'}
        </small>
      </p>
      <TwoSteps label={`Revoke ${name}`} sure="Revoke token" onSure={() => void revoke()} />
      <Failure error={error} />
    </>
  )
}

function NewToken({ user, onCreated }: { user: string; onCreated: (token: CreatedAdminToken) => void }) {
  const [name, setName] = useState('')
  const [days, setDays] = useState<keyof typeof DAYS>('90')
  const { error, isSending, send } = useSend()
  const submit = (event: SubmitEvent) => {
    event.preventDefault()
    const end = Number(days) > 0 && { expires_at: new Date(Date.now() + Number(days) * DAY_MS).toISOString() }
    void send(async () => {
      onCreated(await sendJson('POST', pathTo('/admin/users/{id}/tokens', { id: user }), { name, ...end }))
      setName('')
    })
  }
  return (
    <form class="filters" onSubmit={submit}>
      <TextField label="New token" isRequired value={name} set={setName} placeholder="ci" />
      <SelectField label="Expires" value={days} set={setDays} choices={DAYS} />
      <button type="submit" disabled={isSending}>
        Create token
      </button>
      <Failure error={error} />
    </form>
  )
}
