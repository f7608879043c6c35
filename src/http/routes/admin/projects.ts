import {
  CreateProjectRequest,
  DeletedContent,
  ProjectBody,
  ProjectList,
  UpdateProjectRequest,
} from '../../../contract/admin/projects.ts'
import { ErrorBody, ValidationErrorBody } from '../../../contract/errors.ts'
import { createProject, readProjects, showProject, updateProject } from '../../../tenants/projects/projects.ts'
import Type from '../../../base/schema/type.ts'
import { removeEndUserContent, removeProject } from '../../../tenants/projects/delete-project.ts'
import { askedBy } from '../../admin/admin-auth.ts'
import { CSV_FORMAT, listOrCsv, listReplies } from '../../export/list-or-csv.ts'
import { route } from '../../define-route.ts'
import { paging } from '../../admin/paging.ts'

const EVERYWHERE = 'Takes effect here at once, and in every other process within a few seconds.'
const NOT_FOUND = { description: 'There is no such project.', schema: ErrorBody }
const INVALID = { description: 'The project is not valid.', schema: ValidationErrorBody }

export const create = route({
  method: 'POST',
  path: '/admin/projects',
  access: 'admin',
  permission: 'projects.create',
  summary: 'Create a project',
  description: 'Keys of a project share what its policy allows, its limits and, unless it says otherwise, its content.',
  body: CreateProjectRequest,
  replies: {
    201: { description: 'The project.', schema: ProjectBody },
    409: { description: 'A project has this id, or a deleted project had it.', schema: ErrorBody },
    422: INVALID,
  },
  handle: (request, _reply, services) => createProject(request.body.value, askedBy(request, services.tenants)),
})

export const list = route({
  method: 'GET',
  path: '/admin/projects',
  access: 'admin',
  permission: 'projects.read',
  summary: 'List projects',
  description: 'Newest first.',
  query: Type.Object({
    organization: Type.Optional(Type.String({ description: 'Only projects of the organization with this id.' })),
    ...paging,
    ...CSV_FORMAT,
  }),
  replies: listReplies('A page of projects.', ProjectList),
  handle: (request, reply, services) => {
    const { organization } = request.query
    return listOrCsv(request, reply, services.operations, {
      name: 'projects',
      schema: ProjectList,
      read: (page) => readProjects({ ...page, organization }, askedBy(request, services.tenants)),
    })
  },
})

export const show = route({
  method: 'GET',
  path: '/admin/projects/{project}',
  access: 'admin',
  permission: 'projects.read',
  summary: 'Get a project',
  replies: { 200: { description: 'The project.', schema: ProjectBody }, 404: NOT_FOUND },
  handle: (request, _reply, services) => showProject(request.params.project, askedBy(request, services.tenants)),
})

export const update = route({
  method: 'PATCH',
  path: '/admin/projects/{project}',
  access: 'admin',
  permission: 'projects.write',
  summary: 'Change a project',
  description: `Changes only what the body names. ${EVERYWHERE}`,
  body: UpdateProjectRequest,
  replies: {
    200: { description: 'The project as it is now.', schema: ProjectBody },
    404: NOT_FOUND,
    409: { description: 'The sharing mode cannot be changed while something is stored.', schema: ErrorBody },
    422: INVALID,
  },
  handle: (request, _reply, services) => {
    const asking = { ...askedBy(request, services.tenants), contents: services.tenants.contents }
    return updateProject(request.params.project, request.body.value, asking)
  },
})

const force = Type.Optional(Type.Boolean({ default: false, description: 'Gives up jobs that have not ended.' }))
const UNFINISHED = { description: 'There are unfinished jobs.', schema: ErrorBody }

export const remove = route({
  method: 'DELETE',
  path: '/admin/projects/{project}',
  access: 'admin',
  permission: 'projects.create',
  summary: 'Delete a project',
  description:
    `Revokes its keys and deletes its files, responses, conversations and jobs. Its ledger lines stay. ${EVERYWHERE} ` +
    'Much content is removed in the background. The id cannot be used again.',
  query: Type.Object({ force }),
  replies: { 204: { description: 'Deleted.' }, 404: NOT_FOUND, 409: UNFINISHED },
  handle: async (request, _reply, services) => {
    const asking = { ...askedBy(request, services.tenants), files: services.tenants.files }
    await removeProject(request.params.project, { force: request.query.force ?? false }, asking)
  },
})

export const removeContent = route({
  method: 'DELETE',
  path: '/admin/projects/{project}/end-users/{end_user}/content',
  access: 'admin',
  permission: 'projects.write',
  summary: 'Delete the content of an end user',
  description:
    'Deletes the stored responses, conversations, uploads, result files and jobs of requests that named this end user (`user`, ' +
    '`safety_identifier`, `metadata.user_id`). Ledger lines stay.',
  query: Type.Object({ force }),
  replies: { 200: { description: 'What was deleted.', schema: DeletedContent }, 404: NOT_FOUND, 409: UNFINISHED },
  handle: async (request, _reply, services) => {
    const { project, end_user: endUser } = request.params
    const options = { project, force: request.query.force ?? false }
    const { files, contents, others, isComplete } = await removeEndUserContent(endUser, options, {
      ...askedBy(request, services.tenants),
      files: services.tenants.files,
    })
    return { files, jobs: others, contents, is_complete: isComplete }
  },
})
