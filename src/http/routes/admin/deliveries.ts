import {
  DELIVERY_FILTERS,
  DeliveryRecord,
  RedeliverRequest,
  TestDelivery,
  TestDeliveryRequest,
} from '../../../contract/admin/deliveries.ts'
import { BulkResult } from '../../../contract/admin/bulk.ts'
import { ErrorBody } from '../../../contract/errors.ts'
import { Delivery, DeliveryList } from '../../../contract/admin/operations.ts'
import { sendAgain, sendAllAgain } from '../../../jobs/admin/send-again.ts'
import { sendTest } from '../../../jobs/admin/send-test.ts'
import { showDelivery, watchDeliveries } from '../../../jobs/admin/watch-deliveries.ts'
import { closed } from '../../../base/schema/fields.ts'
import Type from '../../../base/schema/type.ts'
import { askedBy } from '../../admin/admin-auth.ts'
import { CSV_FORMAT, listOrCsv, listReplies } from '../../export/list-or-csv.ts'
import { route } from '../../define-route.ts'
import type { Route } from '../../route.ts'
import { paging } from '../../admin/paging.ts'
import { readTime } from '../../query.ts'
import { timesAsNumbers, WITH_CONTENT } from './query/operations-query.ts'

const list = route({
  method: 'GET',
  path: '/admin/deliveries',
  access: 'admin',
  permission: 'jobs.read',
  summary: 'List webhooks',
  description: 'Newest first, without their bodies.',
  query: Type.Object({ ...DELIVERY_FILTERS, ...paging, ...CSV_FORMAT }, closed),
  replies: listReplies('A page of deliveries.', DeliveryList),
  handle: (request, reply, services) => {
    const { format: _, limit: __, cursor: ___, ...filters } = request.query
    const filter = inStore(timesAsNumbers(filters, readTime))
    return listOrCsv(request, reply, services.operations, {
      name: 'deliveries',
      schema: DeliveryList,
      read: (page) => watchDeliveries({ ...filter, ...page }, askedBy(request, services.jobs)),
    })
  },
})

const show = route({
  method: 'GET',
  path: '/admin/deliveries/{id}',
  access: 'admin',
  permission: 'jobs.read',
  summary: 'Get a webhook',
  description:
    'With the headers of each attempt and the keys that verify them. The bytes that are sent, and what receivers answered, ' +
    'only with `content=true`, for those who may read contents.',
  query: WITH_CONTENT,
  replies: { 200: { description: 'The webhook.', schema: DeliveryRecord } },
  handle: (request, _reply, services) =>
    showDelivery(request.params.id, request.query.content ?? false, askedBy(request, services.jobs)),
})

const redeliver = route({
  method: 'POST',
  path: '/admin/deliveries/{id}/redeliver',
  access: 'admin',
  permission: 'jobs.write',
  summary: 'Resend a webhook',
  description:
    'Sends the same bytes with the same signature, with a full set of attempts. Each attempt signs its own time.',
  replies: { 200: { description: 'The delivery.', schema: Delivery } },
  handle: (request, _reply, services) => sendAgain(request.params.id, askedBy(request, services.jobs)),
})

const redeliverAll = route({
  method: 'POST',
  path: '/admin/deliveries/redeliver',
  access: 'admin',
  permission: 'jobs.write',
  summary: 'Resend failed webhooks',
  description:
    'For example all webhooks that failed since a time (`from`). First send the request without `expected_count`: the answer says how many there are. ' +
    'With it, the number may differ by five or 5 % at most; otherwise the answer is 409.',
  body: RedeliverRequest,
  replies: {
    200: { description: 'What was done.', schema: BulkResult },
    409: { description: 'The number has changed since you confirmed it.', schema: ErrorBody },
  },
  handle: (request, _reply, services) => {
    const { filter, expected_count: expected } = request.body.value
    return sendAllAgain({ filter: inStore(timesAsNumbers(filter)), expected }, askedBy(request, services.jobs))
  },
})

const test = route({
  method: 'POST',
  path: '/admin/deliveries/test',
  access: 'admin',
  permission: 'jobs.write',
  summary: 'Send a test webhook',
  description:
    'Sends a signed webhook with the event `test` to a URL of your choice, once, and returns the answer of the receiver. ' +
    'The gateway checks the URL like those of jobs. It stores only an entry in the audit log.',
  body: TestDeliveryRequest,
  replies: { 200: { description: 'The answer of the receiver.', schema: TestDelivery } },
  handle: async (request, _reply, services) => {
    const { url } = request.body.value
    await services.calls.callerUrls.checkForLater(url, ['body', 'url'])
    return await sendTest(url, askedBy(request, services.jobs))
  },
})

type WrittenFilter = { job_id?: string; last_status?: number }

/** The names of a filter in queries and bodies → those of the store. */
function inStore<Filter extends WrittenFilter>({ job_id: jobId, last_status: lastStatus, ...others }: Filter) {
  return { ...others, jobId, lastStatus }
}

export const deliveryRoutes: readonly Route[] = [list, show, redeliver, redeliverAll, test]
