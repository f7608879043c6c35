import { mayIn } from '../../api/session.ts'
import { SelectField, TextField } from '../../parts/fields.tsx'
import { type GuardrailDraft, USUAL } from './guardrail-draft.ts'
import type { FieldsProps } from './holder-fields.tsx'

export const ON_ERROR: Record<GuardrailDraft['onError'], string> = {
  '': 'Default for the action',
  open: 'Let the call pass',
  closed: 'Block the call',
}
export const RESPONSES: Record<GuardrailDraft['respond'], string> = {
  error: 'Error (403)',
  message: 'Answer with the message',
}

/** What most guardrails leave as it is. */
export function MoreFields({ draft, set, isNew }: FieldsProps & { isNew: boolean }) {
  const { id, onError, timeoutMs, respond, message } = draft
  return (
    <details>
      <summary>More options: failing checks, timeout, reply to callers</summary>
      <div class="form-grid">
        <SelectField
          {...{ label: 'If a check fails', value: onError, choices: ON_ERROR }}
          set={(one) => set({ onError: one })}
        />
        <TextField
          {...{ label: 'Timeout of services and models, ms', type: 'number', value: timeoutMs }}
          placeholder={String(USUAL.timeoutMs)}
          set={(text) => set({ timeoutMs: text })}
        />
        <SelectField
          {...{ label: 'Reply to a blocked chat', value: respond, choices: RESPONSES }}
          set={(one) => set({ respond: one })}
        />
        <TextField
          {...{ label: 'Message', value: message, maxLength: 1_000, placeholder: 'I cannot help with that.' }}
          set={(text) => set({ message: text })}
        />
        {isNew && mayIn('guardrails.write') && (
          <TextField
            {...{ label: 'ID (generated if empty)', value: id, maxLength: 100 }}
            set={(text) => set({ id: text })}
          />
        )}
      </div>
    </details>
  )
}
