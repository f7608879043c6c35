import { ChecksField } from '../../parts/checks-field.tsx'
import { ENDPOINTS } from '../../parts/endpoints.ts'
import { AreaField, TextField } from '../../parts/fields.tsx'
import { type GuardrailDraft, type Phase, USUAL } from './guardrail-draft.ts'
import { type FieldsProps, HolderFields } from './holder-fields.tsx'

export const PHASES: Record<Phase, string> = {
  input: 'Input (everything sent to a model)',
  output: 'Output (everything that comes back)',
  tool_results: 'Tool results only',
  tool_arguments: 'Tool arguments only',
}

/** Which calls are checked, and what of them. Restrictions that the guardrail has are open. */
export function WhereFields({ draft, set, isRestricted }: FieldsProps & { isRestricted: boolean }) {
  const { phases } = draft
  return (
    <fieldset class="stack">
      <legend>Where it applies</legend>
      <div class="form-grid">
        <HolderFields draft={draft} set={set} />
      </div>
      <ChecksField legend="Phases" choices={PHASES} chosen={phases} set={(chosen) => set({ phases: chosen })} />
      <details open={isRestricted}>
        <summary>Only some models and endpoints, or a sample</summary>
        <Restrictions draft={draft} set={set} />
      </details>
    </fieldset>
  )
}

function Restrictions({ draft: { models, endpoints, sample }, set }: FieldsProps) {
  return (
    <div class="stack">
      <AreaField
        {...{ label: 'Models, one per line (all if empty)', rows: 2, placeholder: 'openai/*' }}
        value={models}
        set={(text) => set({ models: text })}
      />
      <ChecksField
        legend="Endpoints (all if none selected)"
        choices={ENDPOINTS}
        chosen={endpoints}
        set={(chosen) => set({ endpoints: chosen })}
      />
      <TextField
        {...{ label: 'Sample (fraction of calls, 0 to 1)', type: 'number', value: sample }}
        placeholder={String(USUAL.sample)}
        set={(text) => set({ sample: text })}
      />
    </div>
  )
}

export function isRestricted({ models, endpoints, sample }: GuardrailDraft): boolean {
  return models !== '' || endpoints.length > 0 || sample !== ''
}
