import type { FastifyReply, FastifyRequest } from 'fastify'
import {
  CreateOrganizationRequest,
  OrganizationBody,
  OrganizationList,
  UpdateOrganizationRequest,
} from '../../../contract/admin/projects.ts'
import { ErrorBody } from '../../../contract/errors.ts'
import type { JsonBody } from '../../../json/parse-body.ts'
import {
  createOrganization,
  readOrganizations,
  removeOrganization,
  showOrganization,
  updateOrganization,
} from '../../../projects/organizations.ts'
import Type from '../../../schema/type.ts'
import { peopleContext } from '../../admin/admin-auth.ts'
import type { HttpServices, Route } from '../../services.ts'
import { pageIn, paging } from '../../admin/paging.ts'

const NOT_FOUND = { description: 'There is no such organization.', schema: ErrorBody }

export const create: Route = {
  method: 'POST',
  path: '/admin/organizations',
  access: 'admin',
  permission: 'organizations.create',
  summary: 'Create an organization',
  description:
    'You are its first owner. No other role reaches it. As soon as there are two organizations, projects name theirs.',
  body: CreateOrganizationRequest,
  replies: {
    201: { description: 'The organization.', schema: OrganizationBody },
    409: { description: 'An organization has this id already.', schema: ErrorBody },
  },
  handle: async (request: FastifyRequest, reply: FastifyReply, { context }: HttpServices) => {
    const { value } = request.body as JsonBody
    return reply
      .code(201)
      .send(await createOrganization(value as CreateOrganizationRequest, peopleContext(request, context)))
  },
}

export const list: Route = {
  method: 'GET',
  path: '/admin/organizations',
  access: 'admin',
  permission: 'organization.read',
  summary: 'Organizations, newest first',
  query: Type.Object(paging),
  replies: { 200: { description: 'A page of organizations.', schema: OrganizationList } },
  handle: (request: FastifyRequest, _reply: FastifyReply, { context }: HttpServices) =>
    readOrganizations(pageIn(request), peopleContext(request, context)),
}

export const show: Route = {
  method: 'GET',
  path: '/admin/organizations/{organization}',
  access: 'admin',
  permission: 'organization.read',
  summary: 'One organization',
  replies: { 200: { description: 'The organization.', schema: OrganizationBody }, 404: NOT_FOUND },
  handle: (request: FastifyRequest, _reply: FastifyReply, { context }: HttpServices) =>
    showOrganization(organizationIn(request), peopleContext(request, context)),
}

export const update: Route = {
  method: 'PATCH',
  path: '/admin/organizations/{organization}',
  access: 'admin',
  permission: 'organization.write',
  summary: 'Change an organization',
  body: UpdateOrganizationRequest,
  replies: { 200: { description: 'The organization as it is now.', schema: OrganizationBody }, 404: NOT_FOUND },
  handle: (request: FastifyRequest, _reply: FastifyReply, { context }: HttpServices) => {
    const { value } = request.body as JsonBody
    return updateOrganization(
      organizationIn(request),
      value as UpdateOrganizationRequest,
      peopleContext(request, context),
    )
  },
}

export const remove: Route = {
  method: 'DELETE',
  path: '/admin/organizations/{organization}',
  access: 'admin',
  permission: 'organization.write',
  summary: 'Delete an organization without projects',
  replies: {
    204: { description: 'Deleted.' },
    404: NOT_FOUND,
    409: { description: 'It has projects, or it is `default`.', schema: ErrorBody },
  },
  handle: async (request: FastifyRequest, reply: FastifyReply, { context }: HttpServices) => {
    await removeOrganization(organizationIn(request), peopleContext(request, context))
    return reply.code(204).send()
  },
}

function organizationIn({ params }: FastifyRequest): string {
  return (params as { organization: string }).organization
}
