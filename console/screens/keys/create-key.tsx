import { useState } from 'preact/hooks'
import type { CreatedKey } from '../../../src/contract/admin/keys.ts'
import { sendJson } from '../../api/client.ts'
import { newKey } from '../../api/new-key.ts'
import { may } from '../../api/session.ts'
import { useAnswer } from '../../api/use-answer.ts'
import { Dialog } from '../../parts/dialog.tsx'
import { SelectField, TextField } from '../../parts/fields.tsx'
import { Failure } from '../../parts/notice.tsx'
import { ClientSettings } from './client-settings.tsx'
import {
  BUDGET_WINDOWS,
  type BudgetWindow,
  budgetOf,
  EMPTY_KEY,
  type FieldsProps,
  type KeyDraft,
  requestOf,
} from './key-draft.ts'
import { Preview } from './preview.tsx'
import { ScopeFields } from './scope-fields.tsx'

type Props = { onClose: () => void; onCreated: () => void }

export function CreateKey({ onClose, onCreated }: Props) {
  const [created, setCreated] = useState<CreatedKey>()
  const [unlimited, setUnlimited] = useState<Error>()
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
      {unlimited && <Failure error={new Error(`The key has no budget yet: ${unlimited.message}`)} />}
      {created ? (
        <ClientSettings created={created} onDone={close} />
      ) : (
        <Form onCreated={show} onUnlimited={setUnlimited} />
      )}
    </Dialog>
  )
}

type FormProps = { onCreated: (key: CreatedKey) => void; onUnlimited: (reason: Error) => void }

/** A budget is made after the key that it is for. If that fails, the key is there all the same, and its secret has to be shown. */
function Form({ onCreated, onUnlimited }: FormProps) {
  const [draft, setDraft] = useState<KeyDraft>(EMPTY_KEY)
  const [error, setError] = useState<Error>()
  const set = (changes: Partial<KeyDraft>) => setDraft((before) => ({ ...before, ...changes }))
  const submit = async (event: SubmitEvent) => {
    event.preventDefault()
    setError(undefined)
    await sendJson('POST', '/admin/keys', requestOf(draft)).then(async (key) => {
      const budget = budgetOf(draft, key.id)
      if (budget) await sendJson('POST', '/admin/budgets', budget).catch(onUnlimited)
      onCreated(key)
    }, setError)
  }
  return (
    <form class="stack" onSubmit={submit}>
      <MainFields draft={draft} set={set} />
      {may('limits.write') && <BudgetFields draft={draft} set={set} />}
      <ScopeFields draft={draft} set={set} />
      <Preview draft={draft} />
      <Failure error={error} />
      <button type="submit" class="primary">
        Create key
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
          <option value="sandbox">Sandbox: simulated and free</option>
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

function BudgetFields({ draft, set }: FieldsProps) {
  return (
    <div class="form-grid">
      <TextField
        {...{ label: 'Budget, USD (none if empty)', type: 'number', placeholder: '25' }}
        {...{ value: draft.budget, set: (budget) => set({ budget }) }}
      />
      <SelectField
        {...{ label: 'Budget period', choices: BUDGET_WINDOWS }}
        {...{ value: draft.budgetWindow, set: (budgetWindow: BudgetWindow) => set({ budgetWindow }) }}
      />
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
        <option value="">Personal</option>
        {value?.items.map(({ id, name }) => (
          <option key={id} value={id}>
            {name}
          </option>
        ))}
      </select>
    </label>
  )
}
