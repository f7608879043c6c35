import { ApplyingLimits } from '../../../contract/admin/limits.ts'
import { ErrorBody } from '../../../contract/errors.ts'
import { limitsOfPerson, limitsOfProject } from '../../../money/limits/applying-limits.ts'
import { demandKnown } from '../../../tenants/people/manage-users.ts'
import { showProject } from '../../../tenants/projects/projects.ts'
import { askedBy } from '../../admin/admin-auth.ts'
import { route } from '../../define-route.ts'

const REPLY = { description: 'The limits.', schema: ApplyingLimits }
const SHARED = {
  method: 'GET',
  access: 'admin',
  description:
    'The list also has limits that your roles do not show you in the lists of budgets and rate limits. Limits of single keys and ' +
    'of end users are not in it: `GET /admin/keys/{id}/access` has those of a key.',
} as const

export const ofProject = route({
  ...SHARED,
  path: '/admin/projects/{project}/limits',
  permission: 'projects.read',
  summary: 'List the limits that apply to a project',
  description: 'The budgets and rate limits that count the calls of the project.',
  replies: { 200: REPLY, 404: { description: 'There is no such project.', schema: ErrorBody } },
  handle: async (request, _reply, services) => {
    const { project } = request.params
    await showProject(project, askedBy(request, services.tenants))
    return { items: await limitsOfProject(project, services.money) }
  },
})

export const ofUser = route({
  ...SHARED,
  path: '/admin/users/{id}/limits',
  permission: 'users.read',
  summary: 'List the limits that apply to a user',
  description: 'The budgets and rate limits that count the calls of the user.',
  replies: { 200: REPLY, 404: { description: 'There is no such user.', schema: ErrorBody } },
  handle: async (request, _reply, services) => {
    const { id } = await demandKnown(request.params.id, askedBy(request, services.tenants))
    return { items: await limitsOfPerson(id, services.money) }
  },
})

export const own = route({
  ...SHARED,
  path: '/admin/me/limits',
  permission: 'self',
  summary: 'List the limits that apply to you',
  description: 'The budgets and rate limits that count your calls.',
  replies: { 200: REPLY },
  handle: async ({ actor }, _reply, services) => ({ items: await limitsOfPerson(actor.id, services.money) }),
})
