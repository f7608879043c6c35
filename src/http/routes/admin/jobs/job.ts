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
  summary: 'Get a job with its history',
  description: '`content=true` adds the input and the result, for people who may read contents.',
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
  summary: 'Cancel a waiting or running job',
  description: 'It ends as failed within seconds. The ledger keeps what the job has spent.',
  replies: { 202: { description: 'The job will end.' }, 409: NOT_NOW },
  handle: async (request, _reply, services) => {
    await actOnJob('cancel', request.params.job_id, askedBy(request, services.jobs))
  },
})

const retry = route({
  method: 'POST',
  path: '/admin/jobs/{job_id}/retry',
  access: 'admin',
  permission: 'jobs.write',
  summary: 'Retry a failed job',
  description:
    'Runs it as a new job. With the same input, key and webhook. A job can be retried once. After that, retry the new job.',
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
  summary: 'Delete a finished job',
  description: 'With its result. The gateway still sends a webhook that waits.',
  replies: { 204: { description: 'Deleted.' }, 409: NOT_NOW },
  handle: async (request, _reply, services) => {
    await actOnJob('delete', request.params.job_id, askedBy(request, services.jobs))
  },
})

export const jobRoutes: readonly Route[] = [show, cancel, retry, remove]
