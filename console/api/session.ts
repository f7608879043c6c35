import { signal } from '@preact/signals'
import type { Me } from '../../src/contract/admin/own-account.ts'
import { forgetReturnPath, getJson, sendJson } from './client.ts'

/** Who has signed in. Undefined until it is known. */
export const me = signal<Me | undefined>(undefined)

export async function loadMe(): Promise<void> {
  me.value = await getJson('/admin/me')
}

/** Whether the person may do this with anything at all. The API decides again for each thing. */
export function may(permission: string): boolean {
  return reachOf(permission) !== undefined
}

/** Whether the person may do this with everything: only then is an empty list of the API none at all. */
export function mayEverywhere(permission: string): boolean {
  return reachOf(permission)?.all === true
}

/** Where something belongs. The gateway leaves the organization out while there is only one. */
export type RoleScope = { organization?: string | null | undefined; project?: string | null | undefined }
const FIRST_ORGANIZATION = 'default'

/** Whether the person may do this with everything of the place. What belongs to no place, the first organization decides. */
export function mayIn(permission: string, { organization, project }: RoleScope = {}): boolean {
  const found = reachOf(permission)
  if (!found) return false
  const { all, organizations, projects } = found
  return all || organizations.includes(organization ?? FIRST_ORGANIZATION) || projects.includes(project ?? '')
}

/** The organization that something new comes into if nothing else is said. Undefined for roles on projects only. */
export function homeOf(permission: string): string | undefined {
  const found = reachOf(permission)
  return found && (mayIn(permission) ? FIRST_ORGANIZATION : found.organizations[0])
}

function reachOf(permission: string): Me['permissions'][number] | undefined {
  const found = me.value?.permissions.find((one) => one.permission === permission)
  const places = [...(found?.organizations ?? []), ...(found?.projects ?? [])]
  return found && (found.all || found.own || places.length > 0) ? found : undefined
}

/** The gateway says whether there is a session at an identity provider to end, too. */
export async function signOut(): Promise<void> {
  forgetReturnPath()
  const { url } = await sendJson('POST', '/admin/me/sign-out')
  location.assign(url ?? '/sign-in')
}
