import { useMemo } from 'preact/hooks'
import type { LimitBody } from '../../../src/contract/admin/limits.ts'
import { may, mayIn, me, type RoleScope } from '../../api/session.ts'
import { useAnswer } from '../../api/use-answer.ts'
import { type HolderKind, splitHolder } from '../../parts/holder-name.ts'

type Holder = { value: string; title: string; place: RoleScope; isOwn?: boolean }
export type Holders = Readonly<Partial<Record<HolderKind, readonly Holder[]>>>

const MOST = { limit: 1000 }

/** Whom a limit can be for, with their names. Only what the person may see is asked for. */
export function useHolders(): Holders {
  const projects = useAnswer(may('projects.read') ? '/admin/projects' : undefined, MOST).value
  const keys = useAnswer(may('keys.read') ? '/admin/keys' : undefined, MOST).value
  const users = useAnswer(may('users.read') ? '/admin/users' : undefined, MOST).value
  return useMemo(() => {
    const homes = new Map(projects?.items.map(({ id, organization }) => [id, organization]))
    const inProject = (project: string) => ({ project, organization: homes.get(project) })
    return {
      project: projects?.items.map(({ id, name }) => ({ value: id, title: name, place: inProject(id) })) ?? [],
      key:
        keys?.items.map(({ id, name, project, user }) => {
          return { value: id, title: name, place: inProject(project), isOwn: user === me.value?.id }
        }) ?? [],
      user:
        users?.items.map(({ id, name, email, organization }) => {
          return { value: id, title: email ?? name, place: { organization } }
        }) ?? [],
    }
  }, [projects, keys, users])
}

export function nameIn(holders: Holders): (kind: HolderKind, id: string) => string | undefined {
  return (kind, id) => holders[kind]?.find(({ value }) => value === id)?.title
}

/** With which rights the person could set a limit for this holder. The strongest is last. */
const LEVELS = ['own', 'project', 'organization', 'installation'] as const

function levelIn({ place, isOwn }: Pick<Holder, 'place' | 'isOwn'>): (typeof LEVELS)[number] | undefined {
  if (mayIn('limits.write', { organization: place.organization }))
    return mayIn('limits.write') ? 'installation' : 'organization'
  if (mayIn('limits.write', place)) return 'project'
  return isOwn && may('limits.write') ? 'own' : undefined
}

export function mayLimit(holder: Pick<Holder, 'place' | 'isOwn'>): boolean {
  return levelIn(holder) !== undefined
}

/** As the API decides: only those change a limit who could have set it. One of the file belongs to the installation. */
export function mayChange({ applies_to: who, owned_by: owner, set_by: setBy }: LimitBody, holders: Holders): boolean {
  const { kind, id } = splitHolder(who)
  const known = holders[kind]?.find(({ value }) => value === id)
  const place = kind === 'organization' ? { organization: id } : {}
  const level = levelIn(owner === 'api' ? (known ?? { place }) : { place: {} })
  return level !== undefined && LEVELS.indexOf(level) >= LEVELS.indexOf(setBy)
}
