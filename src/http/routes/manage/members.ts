import { closed } from '../../../base/schema/fields.ts'
import Type from '../../../base/schema/type.ts'
import { ErrorBody } from '../../../contract/errors.ts'
import { ChangeMemberRequest } from '../../../contract/admin/members.ts'
import { ManagedMember, ManagedMemberList } from '../../../contract/manage/members.ts'
import { NUMBERED_PAGE, numberedPage } from '../../../contract/manage/paging.ts'
import { changeManagedRole, listManagedMembers } from '../../../tenants/people/managed-members.ts'
import { askedBy } from '../../admin/admin-auth.ts'
import { route } from '../../define-route.ts'
import { manageIsOn, withNeighbours } from './managed.ts'

export const list = route({
  method: 'GET',
  path: '/v3/manage/members',
  access: 'manage',
  manages: 'manage:read',
  isOn: manageIsOn,
  summary: 'List members',
  description: 'Persons with a role on the organization or on one of its projects, by e-mail address.',
  query: Type.Object(NUMBERED_PAGE, closed),
  replies: { 200: { description: 'A page of members.', schema: ManagedMemberList } },
  handle: async (request, _reply, services) => {
    const page = numberedPage(request.query)
    const { organization } = request.managementKey
    const found = await listManagedMembers(page, { ...askedBy(request, services.tenants), organization })
    return withNeighbours(found, page, request, services)
  },
})

export const changeRole = route({
  method: 'PATCH',
  path: '/v3/manage/members/{email}/role',
  access: 'manage',
  manages: 'manage:write',
  isOn: manageIsOn,
  summary: 'Change the role of a member',
  description:
    'The role on the organization. A role that can do more than the management key cannot be given or taken.',
  body: ChangeMemberRequest,
  replies: {
    200: { description: 'The member as it is now.', schema: ManagedMember },
    409: { description: 'The last owner stays one, or an identity provider rules the role.', schema: ErrorBody },
  },
  handle: (request, _reply, services) => {
    const { organization } = request.managementKey
    const asked = { ...askedBy(request, services.tenants), organization }
    return changeManagedRole(request.params.email, request.body.value.role, asked)
  },
})
