import { JobRecord, RetriedJob } from '../../../../contract/admin/jobs.ts'
import { ErrorBody } from '../../../../contract/errors.ts'
import { actOnJob } from '../../../../jobs/admin/act-on-jobs.ts'
import { showJob } from '../../../../jobs/admin/watch-jobs.ts'
import { askedBy } from '../../../admin/admin-auth.ts'
import { route } from '../../../define-route.ts'
import type { Route } from '../../../route.ts'
import { WITH_CONTENT } from '../query/operations-query.ts'

const NOT_NOW = { description: 'The state of the job does not allow that.', schema: ErrorBody }

const show = route({
  method: 'GET',
  path: '/admin/jobs/{job_id}',
  access: 'admin',
  permission: 'jobs.read',
  summary: 'A job with its history',
  description: 'What went in and what came out only with `content=true`, for those who may read contents.',
  query: WITH_CONTENT,
  replies: { 200: { description: 'The job.', schema: JobRecord } },
  handle: (request, _reply, services) =>
    showJob(request.params.job_id, request.query.content ?? false, askedBy(request, services.jobs)),
})

const cancel = route({
  method: 'POST',
  path: '/admin/jobs/{job_id}/cancel',
  access: 'admin',
  permission: 'jobs.write',
  summary: 'Cancel a job that waits or runs',
  description: 'It ends as failed within seconds. What it has spent until then stays in the ledger.',
  replies: { 202: { description: 'It will end.' }, 409: NOT_NOW },
  handle: async (request, _reply, services) => {
    await actOnJob('cancel', request.params.job_id, askedBy(request, services.jobs))
  },
})

const retry = route({
  method: 'POST',
  path: '/admin/jobs/{job_id}/retry',
  access: 'admin',
  permission: 'jobs.write',
  summary: 'Run a failed job again, as a new job',
  description: 'With the same input, key and webhook. A job can be run again once; then the new one can.',
  replies: { 201: { description: 'The new job.', schema: RetriedJob }, 409: NOT_NOW },
  handle: async (request, _reply, services) => {
    const id = await actOnJob('retry', request.params.job_id, askedBy(request, services.jobs))
    const created_at = new Date(services.jobs.now()).toISOString()
    return { id, retry_of: request.params.job_id, created_at }
  },
})

const remove = route({
  method: 'DELETE',
  path: '/admin/jobs/{job_id}',
  access: 'admin',
  permission: 'jobs.write',
  summary: 'Delete a job that has ended',
  description: 'With its result. A webhook that still waits is sent all the same.',
  replies: { 204: { description: 'Deleted.' }, 409: NOT_NOW },
  handle: async (request, _reply, services) => {
    await actOnJob('delete', request.params.job_id, askedBy(request, services.jobs))
  },
})

export const jobRoutes: readonly Route[] = [show, cancel, retry, remove]
