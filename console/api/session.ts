import { signal } from '@preact/signals'
import type { Me } from '../../src/contract/admin/people.ts'
import { getJson, sendJson } from './client.ts'

/** Who has signed in. Undefined until it is known. */
export const me = signal<Me | undefined>(undefined)

export async function loadMe(): Promise<void> {
  me.value = await getJson<Me>('/admin/me')
}

/** Whether the person may do this with anything at all. The API decides again for each thing. */
export function may(permission: string): boolean {
  return reachOf(permission) !== undefined
}

/** Whether the person may do this with everything of a project, or without one, with everything of the organization. */
export function mayIn(permission: string, project?: string | null): boolean {
  const found = reachOf(permission)
  return found !== undefined && (found.all || (!!project && found.projects.includes(project)))
}

function reachOf(permission: string): Me['permissions'][number] | undefined {
  const found = me.value?.permissions.find((one) => one.permission === permission)
  const places = [...(found?.organizations ?? []), ...(found?.projects ?? [])]
  return found && (found.all || found.own || places.length > 0) ? found : undefined
}

export async function signOut(): Promise<void> {
  const session = me.value?.session
  if (session) await sendJson('DELETE', `/admin/sessions/${session}`)
  location.assign('/sign-in')
}
