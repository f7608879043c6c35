import { SelectField, TextField } from '../../parts/fields.tsx'
import type { GuardrailDraft, Phase } from './guardrail-draft.ts'
import type { FieldsProps } from './holder-fields.tsx'

export const PHASES: Record<Phase, string> = {
  input: 'What goes to a model',
  output: 'What comes back',
  tool_results: 'Only results of tools',
  tool_arguments: 'Only arguments of tool calls',
}
export const ON_ERROR: Record<GuardrailDraft['onError'], string> = {
  '': 'Usual for the action',
  open: 'The call passes',
  closed: 'The call is refused',
}
const RESPONSES: Record<GuardrailDraft['respond'], string> = {
  error: 'An error (403)',
  message: 'An answer with the message',
}

/** What most guardrails leave as it is. */
export function MoreFields({ draft, set }: FieldsProps) {
  const { phases, onError, respond, message } = draft
  const toggle = (phase: Phase) =>
    set({ phases: phases.includes(phase) ? phases.filter((one) => one !== phase) : [...phases, phase] })
  return (
    <details>
      <summary>More options: what is looked at, failing checks, what callers are told</summary>
      <div class="stack">
        <fieldset class="checks">
          <legend>Looks at</legend>
          {Object.entries(PHASES).map(([phase, title]) => (
            <label key={phase} class="check">
              <input
                type="checkbox"
                checked={phases.includes(phase as Phase)}
                onChange={() => toggle(phase as Phase)}
              />
              {title}
            </label>
          ))}
        </fieldset>
        <div class="form-grid">
          <SelectField
            {...{ label: 'If a check fails', value: onError, choices: ON_ERROR }}
            set={(one) => set({ onError: one })}
          />
          <SelectField
            {...{ label: 'Callers of blocked chats get', value: respond, choices: RESPONSES }}
            set={(one) => set({ respond: one })}
          />
          <TextField
            {...{ label: 'Message', value: message, maxLength: 1_000, placeholder: 'I cannot help with that.' }}
            set={(text) => set({ message: text })}
          />
        </div>
      </div>
    </details>
  )
}
