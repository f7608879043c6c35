import { may, mayIn } from '../../api/session.ts'
import { useAnswer } from '../../api/use-answer.ts'
import { SelectField, TextField } from '../../parts/fields.tsx'
import type { GuardrailDraft, HolderKind } from './guardrail-draft.ts'

const HOLDERS: Record<HolderKind, string> = {
  all: 'Everyone',
  organization: 'An organization',
  project: 'A project',
  key: 'A key',
}
const { all: _all, ...OF_OTHERS } = HOLDERS
const MOST = { limit: 1000 }

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
      {holder !== 'all' && <Holder draft={draft} set={set} />}
    </>
  )
}

/** Projects and keys by their names, as far as the person may see them. */
function Holder({ draft: { holder, holderId }, set }: FieldsProps) {
  const projects = useAnswer(holder === 'project' && may('projects.read') ? '/admin/projects' : undefined, MOST)
  const keys = useAnswer(holder === 'key' && may('keys.read') ? '/admin/keys' : undefined, MOST)
  const known = (holder === 'project' ? projects : keys).value?.items
  const change = (id: string) => set({ holderId: id })
  if (holder === 'organization' || !known || known.length >= MOST.limit)
    return <TextField label={`ID of the ${holder}`} isRequired value={holderId} set={change} />
  const choices = { '': 'Choose', ...Object.fromEntries(known.map(({ id, name }) => [id, name])) }
  return (
    <SelectField
      label={holder === 'project' ? 'Project' : 'Key'}
      isRequired
      {...{ value: holderId, choices }}
      set={change}
    />
  )
}
