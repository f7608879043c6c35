import { useState } from 'preact/hooks'
import type { NamedCredential } from '../../../../src/contract/admin/credentials.ts'
import { pathTo, sendJson } from '../../../api/client.ts'
import { may } from '../../../api/session.ts'
import { useAnswer } from '../../../api/use-answer.ts'
import { useSend } from '../../../api/use-send.ts'
import { callAll } from '../../../parts/call-all.ts'
import { TextField } from '../../../parts/fields.tsx'
import { Failure, Loading } from '../../../parts/notice.tsx'
import { toast } from '../../../parts/toast.tsx'
import { TwoSteps } from '../../../parts/two-steps.tsx'

type Props = { provider: string; onChanged: () => void }

/** Keys at a provider, masked. Only those that were stored here can be removed here. */
export function Credentials({ provider, onChanged }: Props) {
  const { value, error, reload } = useAnswer('/admin/credentials', { provider, limit: 1000 })
  const changed = callAll(reload, onChanged)
  return (
    <section class="panel">
      <h2>Credentials</h2>
      <Failure error={error} onRetry={reload} />
      {!value && !error && <Loading what="credentials" />}
      {value?.items.length === 0 && <p class="faint">No credentials yet.</p>}
      <ul class="stack">
        {value?.items.map((credential) => (
          <li key={`${credential.owned_by} ${credential.name}`}>
            <Credential of={credential} onChanged={changed} />
          </li>
        ))}
      </ul>
      {may('config.write') && <NewCredential provider={provider} onCreated={changed} />}
    </section>
  )
}

function Credential({ of: credential, onChanged }: { of: NamedCredential; onChanged: () => void }) {
  const { id, name, ends_with: end, weight, active } = credential
  const { error, send } = useSend()
  const remove = () =>
    send(async () => {
      await sendJson('DELETE', pathTo('/admin/credentials/{id}', { id: id! }))
      toast(`${name} removed. Requests in progress still use it.`)
      onChanged()
    })
  return (
    <>
      <p>
        <b>{name}</b> {end && <code>…{end}</code>} {!active && <span class="status warn">not in use</span>}{' '}
        <small>
          weight {weight}, {originOf(credential)}
        </small>
      </p>
      {id && may('config.write') && (
        <TwoSteps label={`Remove ${name}`} sure="Remove credential" onSure={() => void remove()} />
      )}
      <Failure error={error} />
    </>
  )
}

function originOf({ owned_by: owner, source }: NamedCredential): string {
  if (owner === 'api') return 'stored encrypted'
  if (owner === 'identity') return 'identity of this machine'
  return `set in the ${owner === 'file' ? 'file' : 'variable'} ${source ?? ''}`
}

export function NewCredential({ provider, onCreated }: { provider: string; onCreated: () => void }) {
  const [name, setName] = useState('')
  const [secret, setSecret] = useState('')
  const { error, isSending, send } = useSend()
  const submit = (event: SubmitEvent) => {
    event.preventDefault()
    void send(async () => {
      await sendJson('POST', '/admin/credentials', { provider, name, secret })
      setName('')
      setSecret('')
      toast(`${name} added. New requests use it.`)
      onCreated()
    })
  }
  return (
    <form class="filters" onSubmit={submit}>
      <TextField label="Credential name" isRequired value={name} set={setName} placeholder="team-a" />
      <TextField
        {...{ label: 'API key (stored encrypted)', type: 'password', autoComplete: 'off', isRequired: true }}
        {...{ value: secret, set: setSecret }}
      />
      <button type="submit" disabled={isSending}>
        Add credential
      </button>
      <Failure error={error} />
    </form>
  )
}
