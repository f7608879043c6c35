import { nullable, words } from '../../base/schema/fields.ts'
import Type, { type Static } from '../../base/schema/type.ts'
import { ROLES } from '../admin/roles.ts'
import { numbered } from './paging.ts'

export const ManagedMember = Type.Object(
  {
    email: nullable(Type.String(), 'The e-mail address.'),
    fullname: Type.String({ description: 'The name.' }),
    is_confirmed: Type.Boolean({ description: 'Whether the person can sign in.' }),
    role: nullable(words([...ROLES]), 'The role on the organization. Null for a person with roles on projects only.'),
    is_org_owner: Type.Boolean({ description: 'Whether the person is an owner of the organization.' }),
  },
  { title: 'ManagedMember', description: 'A person of the organization.' },
)
export type ManagedMember = Static<typeof ManagedMember>

export const ManagedMemberList = numbered(ManagedMember, 'ManagedMemberList', 'Persons, by e-mail address.')
