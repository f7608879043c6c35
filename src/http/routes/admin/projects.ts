import type { FastifyReply, FastifyRequest } from 'fastify'
import {
  CreateProjectRequest,
  DeletedContent,
  ProjectBody,
  ProjectList,
  UpdateProjectRequest,
} from '../../../contract/admin/projects.ts'
import { ErrorBody, ValidationErrorBody } from '../../../contract/errors.ts'
import type { JsonBody } from '../../../json/parse-body.ts'
import { createProject, readProjects, showProject, updateProject } from '../../../projects/projects.ts'
import Type from '../../../schema/type.ts'
import { removeEndUserContent, removeProject } from '../../../projects/delete-project.ts'
import { peopleContext } from '../../admin/admin-auth.ts'
import { CSV_FORMAT, listOrCsv, listReplies, type PageQuery } from '../../export/list-or-csv.ts'
import { readText, readWord } from '../../query.ts'
import type { HttpServices, Route } from '../../services.ts'
import { paging } from '../../admin/paging.ts'

const EVERYWHERE = 'Takes effect here at once, and in every other process within a few seconds.'
const MAX_ID_CHARS = 300
const NOT_FOUND = { description: 'There is no such project.', schema: ErrorBody }
const INVALID = { description: 'The project is not valid.', schema: ValidationErrorBody }

export const create: Route = {
  method: 'POST',
  path: '/admin/projects',
  access: 'admin',
  permission: 'projects.create',
  summary: 'Create a project',
  description: 'Keys of a project share what its policy allows, its limits and, unless it says otherwise, its content.',
  body: CreateProjectRequest,
  replies: {
    201: { description: 'The project.', schema: ProjectBody },
    409: { description: 'A project has this id, or had it before it was deleted.', schema: ErrorBody },
    422: INVALID,
  },
  handle: async (request: FastifyRequest, reply: FastifyReply, { context }: HttpServices) => {
    const { value } = request.body as JsonBody
    return reply.code(201).send(await createProject(value as CreateProjectRequest, peopleContext(request, context)))
  },
}

/** For /docs. The handler validates the query itself. */
const ListQuery = Type.Object({
  organization: Type.Optional(Type.String({ description: 'Only projects of the organization with this id.' })),
  ...paging,
  ...CSV_FORMAT,
})

export const list: Route = {
  method: 'GET',
  path: '/admin/projects',
  access: 'admin',
  permission: 'projects.read',
  summary: 'Projects, newest first',
  query: ListQuery,
  replies: listReplies('A page of projects.', ProjectList),
  handle: (request: FastifyRequest, reply: FastifyReply, { context }: HttpServices) => {
    const organization = readText('organization', (request.query as Record<string, unknown>).organization, MAX_ID_CHARS)
    const read = (page: PageQuery) => readProjects({ ...page, organization }, peopleContext(request, context))
    return listOrCsv(request, reply, context, { name: 'projects', schema: ProjectList, read })
  },
}

export const show: Route = {
  method: 'GET',
  path: '/admin/projects/{project}',
  access: 'admin',
  permission: 'projects.read',
  summary: 'One project',
  replies: { 200: { description: 'The project.', schema: ProjectBody }, 404: NOT_FOUND },
  handle: (request: FastifyRequest, _reply: FastifyReply, { context }: HttpServices) =>
    showProject(projectIn(request), peopleContext(request, context)),
}

export const update: Route = {
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
  handle: (request: FastifyRequest, _reply: FastifyReply, { context }: HttpServices) => {
    const { value } = request.body as JsonBody
    const asking = { ...peopleContext(request, context), contents: context.contents }
    return updateProject(projectIn(request), value as UpdateProjectRequest, asking)
  },
}

const force = Type.Optional(Type.Boolean({ default: false, description: 'Gives up jobs that have not ended.' }))
const UNFINISHED = { description: 'There are unfinished jobs.', schema: ErrorBody }

export const remove: Route = {
  method: 'DELETE',
  path: '/admin/projects/{project}',
  access: 'admin',
  permission: 'projects.create',
  summary: 'Delete a project',
  description:
    `Revokes its keys and deletes its files, responses, conversations and jobs. Its ledger lines stay. ${EVERYWHERE} ` +
    'Much content is removed in the background. The id is not free again.',
  query: Type.Object({ force }),
  replies: { 204: { description: 'Deleted.' }, 404: NOT_FOUND, 409: UNFINISHED },
  handle: async (request: FastifyRequest, reply: FastifyReply, { context }: HttpServices) => {
    const asking = { ...peopleContext(request, context), files: context.files }
    await removeProject(projectIn(request), { force: isForced(request) }, asking)
    return reply.code(204).send()
  },
}

export const removeContent: Route = {
  method: 'DELETE',
  path: '/admin/projects/{project}/end-users/{end_user}/content',
  access: 'admin',
  permission: 'projects.write',
  summary: 'Delete what is stored about an end user',
  description:
    'Deletes the stored responses, conversations, uploads, result files and jobs of requests that named this end user (`user`, ' +
    '`safety_identifier`, `metadata.user_id`). Ledger lines stay.',
  query: Type.Object({ force }),
  replies: { 200: { description: 'What was deleted.', schema: DeletedContent }, 404: NOT_FOUND, 409: UNFINISHED },
  handle: async (request: FastifyRequest, _reply: FastifyReply, { context }: HttpServices) => {
    const { end_user: endUser } = request.params as { end_user: string }
    const options = { project: projectIn(request), force: isForced(request) }
    const { files, contents, others, isComplete } = await removeEndUserContent(endUser, options, {
      ...peopleContext(request, context),
      files: context.files,
    })
    return { files, jobs: others, contents, is_complete: isComplete }
  },
}

function isForced({ query }: FastifyRequest): boolean {
  const { force } = query as Record<string, string | undefined>
  return readWord('force', force, ['true', 'false'], 'false') === 'true'
}

function projectIn({ params }: FastifyRequest): string {
  return (params as { project: string }).project
}
