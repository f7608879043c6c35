import { useState } from 'preact/hooks'
import type { GuardrailBody } from '../../../src/contract/admin/guardrails.ts'
import { pathTo, sendJson } from '../../api/client.ts'
import { useSend } from '../../api/use-send.ts'
import { Dialog } from '../../parts/dialog.tsx'
import { SelectField, TextField } from '../../parts/fields.tsx'
import { Failure } from '../../parts/notice.tsx'
import { toast } from '../../parts/toast.tsx'
import { CheckForms } from './check-forms.tsx'
import { guardrailName } from './columns.tsx'
import {
  type Action,
  checksIn,
  draftOf,
  EMPTY_DRAFT,
  type GuardrailDraft,
  type Mode,
  requestOf,
} from './guardrail-draft.ts'
import { HolderFields } from './holder-fields.tsx'
import { MoreFields } from './more-fields.tsx'
import { TryGuardrail } from './try-guardrail.tsx'

const ACTIONS: Record<Action, string> = {
  flag: 'Report it',
  redact: 'Replace it; block what cannot be replaced',
  block: 'Refuse the call',
}
const MODES: Record<Mode, string> = { shadow: 'Shadow: only report it', enforce: 'Enforce' }

type Props = {
  /** The guardrail to change. Absent for a new one. */
  before?: GuardrailBody
  onClose: () => void
  onSaved: () => void
}

export function EditGuardrail({ before, onClose, onSaved }: Props) {
  const [draft, setDraft] = useState<GuardrailDraft>(() => (before ? draftOf(before) : EMPTY_DRAFT))
  const { error, isSending, send } = useSend()
  const set = (changes: Partial<GuardrailDraft>) => setDraft((was) => ({ ...was, ...changes }))
  const submit = (event: SubmitEvent) => {
    event.preventDefault()
    void send(async () => {
      const saved = await save(draft, before)
      toast(`${guardrailName(saved)} ${before ? 'saved' : 'created'}.`)
      onSaved()
      onClose()
    })
  }
  const { name, checks, action, mode } = draft
  return (
    <Dialog title={before ? `Edit ${guardrailName(before)}` : 'New guardrail'} onClose={onClose}>
      <form class="stack" onSubmit={submit}>
        <div class="form-grid">
          <TextField label="Name" value={name} set={(text) => set({ name: text })} maxLength={200} />
          <HolderFields draft={draft} set={set} />
        </div>
        <CheckForms checks={checks} set={(next) => set({ checks: next })} />
        <div class="form-grid">
          <SelectField
            {...{ label: 'If something is found', value: action, choices: ACTIONS }}
            set={(one) => set({ action: one })}
          />
          <SelectField label="Mode" value={mode} set={(one) => set({ mode: one })} choices={MODES} />
        </div>
        <MoreFields draft={draft} set={set} />
        <TryGuardrail guardrail={() => ({ checks: checksIn(checks), action })} />
        <Failure error={error} />
        <button type="submit" class="primary" disabled={isSending}>
          {before ? 'Save' : 'Create guardrail'}
        </button>
      </form>
    </Dialog>
  )
}

async function save(draft: GuardrailDraft, before: GuardrailBody | undefined): Promise<GuardrailBody> {
  const request = requestOf(draft)
  if (!before) return await sendJson('POST', '/admin/guardrails', request)
  return await sendJson('PATCH', pathTo('/admin/guardrails/{guardrail_id}', { guardrail_id: before.id }), request)
}
