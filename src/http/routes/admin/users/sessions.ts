import type { FastifyReply, FastifyRequest } from 'fastify'
import { changeableUser } from '../../../../people/manage-users.ts'
import { endAllSessions } from '../../../../sign-in/sessions.ts'
import { peopleContext } from '../../../admin/admin-auth.ts'
import type { HttpServices, Route } from '../../../services.ts'

export const remove: Route = {
  method: 'DELETE',
  path: '/admin/users/{id}/sessions',
  access: 'admin',
  permission: 'users.write',
  summary: 'End all sessions of a user',
  replies: { 204: { description: 'Ended, in all processes.' } },
  handle: async (request: FastifyRequest, reply: FastifyReply, { context }: HttpServices) => {
    const { id } = request.params as { id: string }
    const people = peopleContext(request, context)
    await changeableUser(id, people)
    await endAllSessions(id, people.author, context)
    return reply.code(204).send()
  },
}
