import { BulkResult } from '../../../contract/admin/bulk.ts'
import { BulkJobsRequest, JOB_FILTERS, JobCounts } from '../../../contract/admin/jobs.ts'
import { ErrorBody } from '../../../contract/errors.ts'
import { WatchedJobList } from '../../../contract/admin/operations.ts'
import { actOnAll } from '../../../jobs/admin/act-on-jobs.ts'
import { countWatched, watchJobs } from '../../../jobs/admin/watch-jobs.ts'
import { closed } from '../../../base/schema/fields.ts'
import Type from '../../../base/schema/type.ts'
import { askedBy } from '../../admin/admin-auth.ts'
import { CSV_FORMAT, listOrCsv, listReplies } from '../../export/list-or-csv.ts'
import { route } from '../../define-route.ts'
import type { Route } from '../../route.ts'
import { paging } from '../../admin/paging.ts'
import { readTime } from '../../query.ts'
import { timesAsNumbers } from './query/operations-query.ts'

const list = route({
  method: 'GET',
  path: '/admin/jobs',
  access: 'admin',
  permission: 'jobs.read',
  summary: 'List jobs of all owners',
  description: 'Newest first, without their contents.',
  query: Type.Object({ ...JOB_FILTERS, ...paging, ...CSV_FORMAT }, closed),
  replies: listReplies('A page of jobs.', WatchedJobList),
  handle: (request, reply, services) => {
    const { format: _, limit: __, cursor: ___, ...filters } = request.query
    const filter = timesAsNumbers(filters, readTime)
    return listOrCsv(request, reply, services.operations, {
      name: 'jobs',
      schema: WatchedJobList,
      read: (page) => watchJobs({ ...filter, ...page }, askedBy(request, services.jobs)),
    })
  },
})

const counts = route({
  method: 'GET',
  path: '/admin/jobs/counts',
  access: 'admin',
  permission: 'jobs.read',
  summary: 'Count jobs by state',
  query: Type.Object(JOB_FILTERS, closed),
  replies: { 200: { description: 'The counts.', schema: JobCounts } },
  handle: (request, _reply, services) =>
    countWatched(timesAsNumbers(request.query, readTime), askedBy(request, services.jobs)),
})

const bulk = route({
  method: 'POST',
  path: '/admin/jobs/bulk',
  access: 'admin',
  permission: 'jobs.write',
  summary: 'Cancel, retry or delete many jobs',
  description:
    'Acts on all jobs that match the filter and that the action is possible for. First send the request without `expected_count`: the ' +
    'answer says how many jobs that are. With it, the number may differ by five or 5 % at most; otherwise the ' +
    'answer is 409 with the new `count`, and nothing is done.',
  body: BulkJobsRequest,
  replies: {
    200: { description: 'What was done.', schema: BulkResult },
    409: { description: 'The number has changed since you confirmed it.', schema: ErrorBody },
  },
  handle: (request, _reply, services) => {
    const { action, filter, expected_count: expected } = request.body.value
    return actOnAll(action, { filter: timesAsNumbers(filter), expected }, askedBy(request, services.jobs))
  },
})

export const jobListRoutes: readonly Route[] = [list, counts, bulk]
