import type { Role } from '../../../src/contract/admin/roles.ts'
import { may } from '../../api/session.ts'
import { useAnswer } from '../../api/use-answer.ts'
import { SelectField } from '../../parts/fields.tsx'
import { grantableRoles, grantScopes } from './grantable-roles.ts'

type Grant = { role: Role; project: string }
type Props = { grant: Grant; set: (grant: Grant) => void }

/** A role and where it is held. Only what the person may give is offered. */
export function RoleFields({ grant, set }: Props) {
  const { value } = useAnswer(may('projects.read') ? '/admin/projects' : undefined, { limit: 1000 })
  const places = grantScopes(value?.items ?? [])
  // Who leads one project has no place in the organization, which the first draft has.
  const project = places.has(grant.project) ? grant.project : ([...places.keys()][0] ?? '')
  const names = Object.fromEntries([...places].map(([id, { name }]) => [id, name]))
  if (project !== grant.project) set({ ...grant, project })
  return (
    <>
      <SelectField label="Where" value={project} set={(place) => set({ ...grant, project: place })} choices={names} />
      <SelectField
        {...{ label: 'Role', value: grant.role, choices: grantableRoles(places.get(project) ?? {}) }}
        set={(role) => set({ ...grant, role })}
      />
    </>
  )
}

export const FIRST_GRANT: Grant = { role: 'member', project: '' }

/** As the API wants it. */
export function grantOf({ role, project }: Grant): { role: Role; project?: string } {
  return { role, ...(project && { project }) }
}
