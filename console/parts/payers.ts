import type { Me } from '../../src/contract/admin/own-account.ts'
import { me } from '../api/session.ts'
import { useAnswer } from '../api/use-answer.ts'

type Payer = { id: string; name: string; organization?: string | undefined }

const DEFAULT_ORGANIZATION = 'default'
/** What a person spends without another project. */
export const PERSONAL = 'personal'
const OWN: Payer = { id: PERSONAL, name: 'Personal' }

/** The projects in which the person may create a key, and so may spend. Undefined until they are known. */
export function usePayers(): { payers: readonly Payer[] | undefined; error: Error | undefined } {
  const { value, error } = useAnswer('/admin/projects', { limit: 1000 })
  const others = value?.items.filter(({ id }) => id !== PERSONAL)
  return { payers: others && [OWN, ...others].filter((project) => mayPay(project, me.value!)), error }
}

/** A member may have own keys only, where the membership is. */
function mayPay({ id, organization = DEFAULT_ORGANIZATION }: Payer, { permissions, memberships }: Me): boolean {
  const held = permissions.find(({ permission }) => permission === 'keys.write')
  if (!held) return false
  if (held.all || held.organizations.includes(organization) || held.projects.includes(id)) return true
  const covers = memberships.filter((one) => one.organization === organization && [null, id].includes(one.project))
  return held.own && covers.some(({ role }) => role === 'member')
}
