import { useMemo } from 'preact/hooks'
import type { UserList } from '../../../src/contract/admin/people.ts'
import type { ProjectList } from '../../../src/contract/admin/projects.ts'
import type { KeyList } from '../../../src/contract/keys.ts'
import { may, mayIn } from '../../api/session.ts'
import { useAnswer } from '../../api/use-answer.ts'

type Holder = { value: string; title: string; project: string | null }
export type HolderKind = 'all' | 'organization' | 'project' | 'user' | 'key' | 'end_user'
export type Holders = Readonly<Partial<Record<HolderKind, readonly Holder[]>>>

const MOST = { limit: 1000 }

/** Whom a limit can be for, with their names. Only what the person may see is asked for. */
export function useHolders(): Holders {
  const projects = useAnswer<ProjectList>(may('projects.read') ? '/admin/projects' : undefined, MOST).value
  const keys = useAnswer<KeyList>(may('keys.read') ? '/admin/keys' : undefined, MOST).value
  const users = useAnswer<UserList>(may('users.read') ? '/admin/users' : undefined, MOST).value
  return useMemo(
    () => ({
      project: projects?.items.map(({ id, name }) => ({ value: id, title: name, project: id })) ?? [],
      key: keys?.items.map(({ id, name, project }) => ({ value: id, title: name, project })) ?? [],
      user: users?.items.map(({ id, name, email }) => ({ value: id, title: email ?? name, project: null })) ?? [],
    }),
    [projects, keys, users],
  )
}

/** The name behind `key:<id>` and the like. */
export function holderName(appliesTo: string, holders: Holders): string {
  if (appliesTo === 'all') return 'everybody'
  const { kind, id } = splitHolder(appliesTo)
  const name = holders[kind]?.find(({ value }) => value === id)?.title ?? id
  return `${kind.replace('_', ' ')} ${name}`
}

export function splitHolder(appliesTo: string): { kind: HolderKind; id: string } {
  const [kind, ...rest] = appliesTo.split(':') as [HolderKind, ...string[]]
  return { kind, id: rest.join(':') }
}

/** As the API decides: a limit of a project or of its keys belongs to the project, every other one to the organization. */
export function mayChange({ applies_to: who, owned_by: owner }: Owned, holders: Holders): boolean {
  const { kind, id } = splitHolder(who)
  const project =
    kind === 'project' || kind === 'key' ? holders[kind]?.find(({ value }) => value === id)?.project : null
  return mayIn('limits.write', owner === 'file' ? null : project)
}

type Owned = { applies_to: string; owned_by?: 'file' | 'api' }
