import { mayIn } from '../../api/session.ts'
import { SelectField } from '../../parts/fields.tsx'
import { HolderChoice } from '../../parts/holder-choice.tsx'
import type { GuardrailDraft, HolderKind } from './guardrail-draft.ts'

const HOLDERS: Record<HolderKind, string> = {
  all: 'Everyone',
  organization: 'An organization',
  project: 'A project',
  key: 'A key',
}
const { all: _all, ...OF_OTHERS } = HOLDERS

export type FieldsProps = { draft: GuardrailDraft; set: (changes: Partial<GuardrailDraft>) => void }

/** Whose calls are checked. */
export function HolderFields({ draft, set }: FieldsProps) {
  const { holder } = draft
  // One that applies to everyone already stays readable for those who could not set it.
  const choices = mayIn('guardrails.write') || holder === 'all' ? HOLDERS : OF_OTHERS
  return (
    <>
      <SelectField
        {...{ label: 'Applies to', value: holder, choices }}
        set={(kind: HolderKind) => set({ holder: kind, holderId: '' })}
      />
      {holder !== 'all' && (
        <HolderChoice kind={holder} value={draft.holderId} set={(id) => set({ holderId: id })} isRequired />
      )}
    </>
  )
}
