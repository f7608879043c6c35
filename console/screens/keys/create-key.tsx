import { useState } from 'preact/hooks'
import type { CreatedKey } from '../../../src/contract/admin/keys.ts'
import { sendJson } from '../../api/client.ts'
import { newKey } from '../../api/new-key.ts'
import { may } from '../../api/session.ts'
import { useAnswer } from '../../api/use-answer.ts'
import { Dialog } from '../../parts/dialog.tsx'
import { Failure } from '../../parts/notice.tsx'
import { ClientSettings } from './client-settings.tsx'
import { EMPTY_KEY, type FieldsProps, type KeyDraft, requestOf } from './key-draft.ts'
import { Preview } from './preview.tsx'
import { ScopeFields } from './scope-fields.tsx'

type Props = { onClose: () => void; onCreated: () => void }

export function CreateKey({ onClose, onCreated }: Props) {
  const [created, setCreated] = useState<CreatedKey>()
  const show = (key: CreatedKey) => {
    newKey.value = key
    setCreated(key)
  }
  const close = () => {
    if (created) onCreated()
    onClose()
  }
  return (
    <Dialog title={created ? 'Your new key' : 'New key'} onClose={close}>
      {created ? <ClientSettings created={created} onDone={close} /> : <Form onCreated={show} />}
    </Dialog>
  )
}

function Form({ onCreated }: { onCreated: (key: CreatedKey) => void }) {
  const [draft, setDraft] = useState<KeyDraft>(EMPTY_KEY)
  const [error, setError] = useState<Error>()
  const set = (changes: Partial<KeyDraft>) => setDraft((before) => ({ ...before, ...changes }))
  const submit = async (event: SubmitEvent) => {
    event.preventDefault()
    setError(undefined)
    await sendJson('POST', '/admin/keys', requestOf(draft)).then(onCreated, setError)
  }
  return (
    <form class="stack" onSubmit={submit}>
      <MainFields draft={draft} set={set} />
      <ScopeFields draft={draft} set={set} />
      <Preview draft={draft} />
      <Failure error={error} />
      <button type="submit" class="primary">
        Create the key
      </button>
    </form>
  )
}

function MainFields({ draft, set }: FieldsProps) {
  return (
    <div class="form-grid">
      <label>
        Name
        <input
          required
          maxLength={200}
          value={draft.name}
          placeholder="search, production"
          onInput={(event) => set({ name: event.currentTarget.value })}
        />
      </label>
      <ProjectField draft={draft} set={set} />
      <label>
        Kind
        <select value={draft.kind} onChange={(event) => set({ kind: event.currentTarget.value as KeyDraft['kind'] })}>
          <option value="live">Live: real answers</option>
          <option value="sandbox">Sandbox: simulated, free</option>
        </select>
      </label>
      <label>
        Expires
        <select value={draft.days} onChange={(event) => set({ days: Number(event.currentTarget.value) })}>
          <option value={0}>Never</option>
          <option value={30}>In 30 days</option>
          <option value={90}>In 90 days</option>
          <option value={365}>In a year</option>
        </select>
      </label>
    </div>
  )
}

/** A person who may not see projects gets a key of their own project, which the API chooses. */
function ProjectField({ draft, set }: FieldsProps) {
  const { value } = useAnswer(may('projects.read') ? '/admin/projects' : undefined, { limit: 1000 })
  return (
    <label>
      Project
      <select value={draft.project} onChange={(event) => set({ project: event.currentTarget.value })}>
        <option value="">My own</option>
        {value?.items.map(({ id, name }) => (
          <option key={id} value={id}>
            {name}
          </option>
        ))}
      </select>
    </label>
  )
}
