import type { ManagedMember } from '../../contract/manage/members.ts'
import type { Role } from '../../contract/admin/roles.ts'
import type { Numbered, NumberedPage } from '../../contract/manage/paging.ts'
import { problem } from '../../contract/problems.ts'
import { listPersons, type StoredPerson } from '../../platform/store/people/persons.ts'
import type { Reach } from '../../platform/store/people/reach.ts'
import { changeMember } from './manage-members.ts'
import { whereMay } from './may.ts'
import { type PeopleServices, plainEmail } from './people-services.ts'

// The persons of an organization as programs see them at /v3/manage.

type Services = PeopleServices & { organization: string }

export async function listManagedMembers(page: NumberedPage, services: Services): Promise<Numbered<ManagedMember>> {
  const { organization, db } = services
  const { persons, total } = await listPersons(db, { organization, reach: reachOf(services), ...page })
  return { results: persons.map((person) => bodyOf(person, services)), total_count: total }
}

/** Changes the role of a person on the organization. */
export async function changeManagedRole(email: string, role: Role, services: Services): Promise<ManagedMember> {
  const { memberId } = await personNamed(email, services)
  if (memberId === null || !seesOrganization(services)) throw noSuchMember()
  await changeMember(memberId, { role }, services)
  return bodyOf(await personNamed(email, services), services)
}

async function personNamed(email: string, services: Services): Promise<StoredPerson> {
  const { organization, db } = services
  const page = { limit: 1, offset: 0, email: plainEmail(email) }
  const { persons } = await listPersons(db, { organization, reach: reachOf(services), ...page })
  if (!persons[0]) throw noSuchMember()
  return persons[0]
}

function noSuchMember() {
  return problem('not_found', { message: 'There is no such member of the organization.' })
}

function reachOf({ actor, organization }: Services): Reach {
  const where = whereMay(actor, 'members.read')
  return where.all ? { organizations: [organization], projects: [], own: undefined } : where
}

function seesOrganization(services: Services): boolean {
  return reachOf(services).organizations.includes(services.organization)
}

/** The role on the organization is not for eyes that reach only some of its projects. */
function bodyOf({ email, name, isConfirmed, role: own }: StoredPerson, services: Services): ManagedMember {
  const role = seesOrganization(services) ? own : null
  return { email, fullname: name, is_confirmed: isConfirmed, role, is_org_owner: role === 'owner' }
}
