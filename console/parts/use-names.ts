import { useMemo } from 'preact/hooks'
import { may } from '../api/session.ts'
import { useAnswer } from '../api/use-answer.ts'
import { type HolderKind, holderName } from './holder-name.ts'

/** What people call a project. Its id, if the person may not see projects. */
export function useProjectNames(): (project: string) => string {
  const { value } = useAnswer(may('projects.read') ? '/admin/projects' : undefined, { limit: 1000 })
  return useMemo(() => {
    const names = new Map(value?.items.map(({ id, name }) => [id, name]))
    return (project) => names.get(project) ?? project
  }, [value])
}

/** What people call whom a guardrail or a budget applies to. */
export function useHolderNames(): (appliesTo: string) => string {
  const names = useNames()
  const projectName = useProjectNames()
  return useMemo(() => {
    const nameOf = (kind: HolderKind, id: string) => (kind === 'project' ? projectName(id) : names.get(`${kind}:${id}`))
    return (appliesTo) => holderName(appliesTo, nameOf)
  }, [names, projectName])
}

/** Names by `user:<id>` and `service:<id>`, as the audit log and alerts call people. Empty if the person may not see users. */
export function usePeople(): ReadonlyMap<string, string> {
  const { value } = useAnswer(may('users.read') ? '/admin/users' : undefined, { limit: 1000 })
  return useMemo(() => {
    const pairs = value?.items.map(({ id, kind, name }) => [`${kind === 'service' ? 'service' : 'user'}:${id}`, name])
    return new Map(pairs as [string, string][] | undefined)
  }, [value])
}

/** Those, and the names of keys by `key:<id>`. */
export function useNames(): ReadonlyMap<string, string> {
  const people = usePeople()
  const { value: keys } = useAnswer(may('keys.read') ? '/admin/keys' : undefined, { limit: 1000 })
  return useMemo(() => {
    const ofKeys = keys?.items.map(({ id, name }): [string, string] => [`key:${id}`, name]) ?? []
    return new Map([...people, ...ofKeys])
  }, [people, keys])
}
