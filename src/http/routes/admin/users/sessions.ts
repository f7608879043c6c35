import { changeableUser } from '../../../../tenants/people/manage-users.ts'
import { endAllSessions } from '../../../../tenants/sign-in/sessions.ts'
import { askedBy } from '../../../admin/admin-auth.ts'
import { route } from '../../../define-route.ts'

export const remove = route({
  method: 'DELETE',
  path: '/admin/users/{id}/sessions',
  access: 'admin',
  permission: 'users.write',
  summary: 'End all sessions of a user',
  replies: { 204: { description: 'Ended, in all processes.' } },
  handle: async (request, _reply, services) => {
    const { id } = request.params
    const people = askedBy(request, services.tenants)
    await changeableUser(id, people)
    await endAllSessions(id, people.author, services.tenants)
  },
})
