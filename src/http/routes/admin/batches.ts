import { closed } from '../../../base/schema/fields.ts'
import Type from '../../../base/schema/type.ts'
import { BATCH_QUERY, BatchRecord, WatchedBatchList } from '../../../contract/admin/batches.ts'
import { ErrorBody } from '../../../contract/errors.ts'
import { cancelWatched, showBatch, watchBatches } from '../../../jobs/admin/watch-batches.ts'
import { askedBy } from '../../admin/admin-auth.ts'
import { paging } from '../../admin/paging.ts'
import { route } from '../../define-route.ts'
import { CSV_FORMAT, listOrCsv, listReplies } from '../../export/list-or-csv.ts'
import { readTime } from '../../query.ts'
import type { Route } from '../../route.ts'
import { timesAsNumbers } from './query/operations-query.ts'

const list = route({
  method: 'GET',
  path: '/admin/batches',
  access: 'admin',
  permission: 'jobs.read',
  summary: 'List batches of all owners',
  description: 'Newest first. `GET /admin/requests?batch={id}` lists the calls of a batch.',
  query: Type.Object({ ...BATCH_QUERY, ...paging, ...CSV_FORMAT }, closed),
  replies: listReplies('A page of batches.', WatchedBatchList),
  handle: (request, reply, services) => {
    const { format: _, limit: __, cursor: ___, ...filters } = request.query
    const filter = timesAsNumbers(filters, readTime)
    return listOrCsv(request, reply, services.operations, {
      name: 'batches',
      schema: WatchedBatchList,
      read: (page) => watchBatches({ ...filter, ...page }, askedBy(request, services.jobs)),
    })
  },
})

const show = route({
  method: 'GET',
  path: '/admin/batches/{id}',
  access: 'admin',
  permission: 'jobs.read',
  summary: 'Get a batch',
  description: 'With what is wrong with it, and the batches that providers have of it.',
  replies: { 200: { description: 'The batch.', schema: BatchRecord } },
  handle: (request, _reply, services) => showBatch(request.params.id, askedBy(request, services.jobs)),
})

const cancel = route({
  method: 'POST',
  path: '/admin/batches/{id}/cancel',
  access: 'admin',
  permission: 'jobs.write',
  summary: 'Cancel a batch',
  description: 'No further request is sent. Those that were sent are waited for, and have their answers.',
  replies: {
    202: { description: 'The batch will end.' },
    409: { description: 'The state of the batch does not allow that.', schema: ErrorBody },
  },
  handle: async (request, _reply, services) => {
    await cancelWatched(request.params.id, askedBy(request, services.jobs))
  },
})

export const batchRoutes: readonly Route[] = [list, show, cancel]
