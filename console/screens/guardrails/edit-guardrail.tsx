import { useState } from 'preact/hooks'
import type { GuardrailBody } from '../../../src/contract/admin/guardrails.ts'
import { pathTo, sendJson } from '../../api/client.ts'
import { may } from '../../api/session.ts'
import { useSend } from '../../api/use-send.ts'
import { Dialog } from '../../parts/dialog.tsx'
import { SelectField, TextField } from '../../parts/fields.tsx'
import { Failure } from '../../parts/notice.tsx'
import { toast } from '../../parts/toast.tsx'
import { CheckForms } from './check-forms.tsx'
import { guardrailName } from './columns.tsx'
import {
  type Action,
  changesOf,
  draftOf,
  EMPTY_DRAFT,
  type GuardrailDraft,
  type Mode,
  requestOf,
  triedOf,
} from './guardrail-draft.ts'
import { MoreFields } from './more-fields.tsx'
import { ReplayGuardrail } from './replay-guardrail.tsx'
import { TryGuardrail } from './try-guardrail.tsx'
import { isRestricted, WhereFields } from './where-fields.tsx'

export const ACTIONS: Record<Action, string> = {
  flag: 'Report it',
  redact: 'Redact it (block if it cannot be redacted)',
  block: 'Block the call',
}
const MODES: Record<Mode, string> = { shadow: 'Shadow (report only)', enforce: 'Enforce' }

type Props = {
  /** The guardrail to change. Absent for a new one. */
  before?: GuardrailBody
  onClose: () => void
  onSaved: () => void
}

export function EditGuardrail({ before, onClose, onSaved }: Props) {
  const [first] = useState<GuardrailDraft>(() => (before ? draftOf(before) : EMPTY_DRAFT))
  const [draft, setDraft] = useState(first)
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
        <TextField label="Name" value={name} set={(text) => set({ name: text })} maxLength={200} />
        <CheckForms checks={checks} set={(next) => set({ checks: next })} />
        <WhereFields draft={draft} set={set} isRestricted={isRestricted(first)} />
        <div class="form-grid">
          <SelectField
            {...{ label: 'If something is found', value: action, choices: ACTIONS }}
            set={(one) => set({ action: one })}
          />
          <SelectField label="Mode" value={mode} set={(one) => set({ mode: one })} choices={MODES} />
        </div>
        <MoreFields draft={draft} set={set} isNew={!before} />
        <TryGuardrail guardrail={() => triedOf(draft)} />
        {may('content.read') && (
          <details>
            <summary>Try it on kept requests</summary>
            <ReplayGuardrail
              guardrail={() => ({ ...triedOf(draft), phases: [...draft.phases] })}
              project={first.holder === 'project' ? first.holderId : ''}
            />
          </details>
        )}
        <Failure error={error} />
        <button type="submit" class="primary" disabled={isSending}>
          {before ? 'Save' : 'Create guardrail'}
        </button>
      </form>
    </Dialog>
  )
}

async function save(draft: GuardrailDraft, before: GuardrailBody | undefined): Promise<GuardrailBody> {
  if (!before) return await sendJson('POST', '/admin/guardrails', { ...requestOf(draft), id: draft.id.trim() || null })
  const path = pathTo('/admin/guardrails/{guardrail_id}', { guardrail_id: before.id })
  return await sendJson('PATCH', path, changesOf(draft, before))
}
