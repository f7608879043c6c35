import type { FastifyReply, FastifyRequest } from 'fastify'
import { JobRecord, RetriedJob } from '../../../../contract/admin/jobs.ts'
import { ErrorBody } from '../../../../contract/errors.ts'
import { actOnJob } from '../../../../jobs/admin/act-on-jobs.ts'
import { showJob } from '../../../../jobs/admin/watch-jobs.ts'
import { peopleContext } from '../../../admin/admin-auth.ts'
import type { HttpServices, Route } from '../../../services.ts'
import { asksForContent, WITH_CONTENT } from '../query/operations-query.ts'

const NOT_NOW = { description: 'The state of the job does not allow that.', schema: ErrorBody }

const show: Route = {
  method: 'GET',
  path: '/admin/jobs/{job_id}',
  access: 'admin',
  permission: 'jobs.read',
  summary: 'A job with its history',
  description: 'What went in and what came out only with `content=true`, for those who may read contents.',
  query: WITH_CONTENT,
  replies: { 200: { description: 'The job.', schema: JobRecord } },
  handle: (request: FastifyRequest, _reply: FastifyReply, { context }: HttpServices) =>
    showJob(idIn(request), asksForContent(request), peopleContext(request, context)),
}

const cancel: Route = {
  method: 'POST',
  path: '/admin/jobs/{job_id}/cancel',
  access: 'admin',
  permission: 'jobs.write',
  summary: 'Cancel a job that waits or runs',
  description: 'It ends as failed within seconds. What it has spent until then stays in the ledger.',
  replies: { 202: { description: 'It will end.' }, 409: NOT_NOW },
  handle: async (request: FastifyRequest, reply: FastifyReply, { context }: HttpServices) => {
    await actOnJob('cancel', idIn(request), peopleContext(request, context))
    return reply.code(202).send()
  },
}

const retry: Route = {
  method: 'POST',
  path: '/admin/jobs/{job_id}/retry',
  access: 'admin',
  permission: 'jobs.write',
  summary: 'Run a failed job again, as a new job',
  description: 'With the same input, key and webhook. A job can be run again once; then the new one can.',
  replies: { 201: { description: 'The new job.', schema: RetriedJob }, 409: NOT_NOW },
  handle: async (request: FastifyRequest, reply: FastifyReply, { context }: HttpServices) => {
    const id = await actOnJob('retry', idIn(request), peopleContext(request, context))
    const created_at = new Date(context.now()).toISOString()
    return reply.code(201).send({ id, retry_of: idIn(request), created_at })
  },
}

const remove: Route = {
  method: 'DELETE',
  path: '/admin/jobs/{job_id}',
  access: 'admin',
  permission: 'jobs.write',
  summary: 'Delete a job that has ended',
  description: 'With its result. A webhook that still waits is sent all the same.',
  replies: { 204: { description: 'Deleted.' }, 409: NOT_NOW },
  handle: async (request: FastifyRequest, reply: FastifyReply, { context }: HttpServices) => {
    await actOnJob('delete', idIn(request), peopleContext(request, context))
    return reply.code(204).send()
  },
}

function idIn({ params }: FastifyRequest): string {
  return (params as { job_id: string }).job_id
}

export const jobRoutes: readonly Route[] = [show, cancel, retry, remove]
