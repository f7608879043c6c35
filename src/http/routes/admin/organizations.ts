import {
  CreateOrganizationRequest,
  OrganizationBody,
  OrganizationList,
  UpdateOrganizationRequest,
} from '../../../contract/admin/projects.ts'
import { ErrorBody } from '../../../contract/errors.ts'
import {
  createOrganization,
  readOrganizations,
  removeOrganization,
  showOrganization,
  updateOrganization,
} from '../../../tenants/projects/organizations.ts'
import Type from '../../../base/schema/type.ts'
import { askedBy } from '../../admin/admin-auth.ts'
import { route } from '../../define-route.ts'
import { pageIn, paging } from '../../admin/paging.ts'

const NOT_FOUND = { description: 'There is no such organization.', schema: ErrorBody }

export const create = route({
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
  handle: (request, _reply, services) => createOrganization(request.body.value, askedBy(request, services.tenants)),
})

export const list = route({
  method: 'GET',
  path: '/admin/organizations',
  access: 'admin',
  permission: 'organization.read',
  summary: 'List organizations',
  description: 'Newest first.',
  query: Type.Object(paging),
  replies: { 200: { description: 'A page of organizations.', schema: OrganizationList } },
  handle: (request, _reply, services) => readOrganizations(pageIn(request.query), askedBy(request, services.tenants)),
})

export const show = route({
  method: 'GET',
  path: '/admin/organizations/{organization}',
  access: 'admin',
  permission: 'organization.read',
  summary: 'Get an organization',
  replies: { 200: { description: 'The organization.', schema: OrganizationBody }, 404: NOT_FOUND },
  handle: (request, _reply, services) =>
    showOrganization(request.params.organization, askedBy(request, services.tenants)),
})

export const update = route({
  method: 'PATCH',
  path: '/admin/organizations/{organization}',
  access: 'admin',
  permission: 'organization.write',
  summary: 'Change an organization',
  body: UpdateOrganizationRequest,
  replies: { 200: { description: 'The organization as it is now.', schema: OrganizationBody }, 404: NOT_FOUND },
  handle: (request, _reply, services) =>
    updateOrganization(request.params.organization, request.body.value, askedBy(request, services.tenants)),
})

export const remove = route({
  method: 'DELETE',
  path: '/admin/organizations/{organization}',
  access: 'admin',
  permission: 'organization.write',
  summary: 'Delete an organization',
  description: 'Only an organization without projects.',
  replies: {
    204: { description: 'Deleted.' },
    404: NOT_FOUND,
    409: { description: 'It has projects, or it is `default`.', schema: ErrorBody },
  },
  handle: async (request, _reply, services) => {
    await removeOrganization(request.params.organization, askedBy(request, services.tenants))
  },
})
