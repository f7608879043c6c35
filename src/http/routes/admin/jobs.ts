import type { FastifyReply, FastifyRequest } from 'fastify'
import { BulkResult } from '../../../contract/admin/bulk.ts'
import { BulkJobsRequest, JOB_FILTERS, JobCounts } from '../../../contract/admin/jobs.ts'
import { ErrorBody } from '../../../contract/errors.ts'
import { WatchedJobList } from '../../../contract/operations.ts'
import { actOnAll } from '../../../jobs/admin/act-on-jobs.ts'
import { countWatched, watchJobs } from '../../../jobs/admin/watch-jobs.ts'
import type { JsonBody } from '../../../json/parse-body.ts'
import Type from '../../../schema/type.ts'
import { peopleContext } from '../../admin/admin-auth.ts'
import { CSV_FORMAT, listOrCsv, listReplies, type PageQuery } from '../../export/list-or-csv.ts'
import type { HttpServices, Route } from '../../services.ts'
import { paging } from '../../admin/paging.ts'
import { jobFilterIn, timesAsNumbers } from './query/operations-query.ts'

const LIST_QUERY = { ...JOB_FILTERS, ...paging, ...CSV_FORMAT }

const list: Route = {
  method: 'GET',
  path: '/admin/jobs',
  access: 'admin',
  permission: 'jobs.read',
  summary: 'Jobs of all owners, newest first, without their contents',
  query: Type.Object(LIST_QUERY),
  replies: listReplies('A page of jobs.', WatchedJobList),
  handle: (request: FastifyRequest, reply: FastifyReply, { context }: HttpServices) => {
    const filter = jobFilterIn(request, LIST_QUERY)
    const read = (page: PageQuery) => watchJobs({ ...filter, ...page }, peopleContext(request, context))
    return listOrCsv(request, reply, context, { name: 'jobs', schema: WatchedJobList, read })
  },
}

const counts: Route = {
  method: 'GET',
  path: '/admin/jobs/counts',
  access: 'admin',
  permission: 'jobs.read',
  summary: 'How many jobs are in each state',
  query: Type.Object(JOB_FILTERS),
  replies: { 200: { description: 'The counts.', schema: JobCounts } },
  handle: (request: FastifyRequest, _reply: FastifyReply, { context }: HttpServices) =>
    countWatched(jobFilterIn(request, JOB_FILTERS), peopleContext(request, context)),
}

const bulk: Route = {
  method: 'POST',
  path: '/admin/jobs/bulk',
  access: 'admin',
  permission: 'jobs.write',
  summary: 'Cancel, retry or delete all jobs that pass a filter',
  description:
    'Acts on the whole filter, and only with jobs that the action is possible with. First ask without `expected_count`: the ' +
    'answer says how many that are. With it, the same number has to be there still, give or take five or 5 %; otherwise the ' +
    'answer is 409 with the new `count`, and nothing is done.',
  body: BulkJobsRequest,
  replies: {
    200: { description: 'What was done.', schema: BulkResult },
    409: { description: 'The number has changed since you confirmed it.', schema: ErrorBody },
  },
  handle: (request: FastifyRequest, _reply: FastifyReply, { context }: HttpServices) => {
    const { action, filter, expected_count: expected } = (request.body as JsonBody).value as BulkJobsRequest
    return actOnAll(action, { filter: timesAsNumbers(filter), expected }, peopleContext(request, context))
  },
}

export const jobListRoutes: readonly Route[] = [list, counts, bulk]
