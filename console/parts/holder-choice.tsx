import { may } from '../api/session.ts'
import { useAnswer } from '../api/use-answer.ts'
import { SelectField, TextField } from './fields.tsx'

export type NamedKind = 'organization' | 'project' | 'user' | 'key'

const TITLES: Record<NamedKind, string> = { organization: 'Organization', project: 'Project', user: 'User', key: 'Key' }
const MOST = { limit: 1000 }

type Props = { kind: NamedKind; value: string; set: (id: string) => void; isRequired?: boolean }

/** A project, a person or a key by its name, as far as the person may see them; otherwise by its id. */
export function HolderChoice({ kind, value, set, isRequired = false }: Props) {
  const known = useKnown(kind)
  if (!known || known.length >= MOST.limit)
    return <TextField label={`ID of the ${kind}`} isRequired={isRequired} value={value} set={set} />
  const choices = { '': 'Choose', ...Object.fromEntries(known.map(({ id, name }) => [id, name])) }
  return <SelectField label={TITLES[kind]} isRequired={isRequired} value={value} choices={choices} set={set} />
}

function useKnown(kind: NamedKind): readonly { id: string; name: string }[] | undefined {
  const projects = useAnswer(kind === 'project' && may('projects.read') ? '/admin/projects' : undefined, MOST)
  const users = useAnswer(kind === 'user' && may('users.read') ? '/admin/users' : undefined, MOST)
  const keys = useAnswer(kind === 'key' && may('keys.read') ? '/admin/keys' : undefined, MOST)
  return { organization: undefined, project: projects.value, user: users.value, key: keys.value }[kind]?.items
}
