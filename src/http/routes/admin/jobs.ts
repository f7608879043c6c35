import type { FastifyReply, FastifyRequest } from 'fastify'
import Type from '../../../schema/type.ts'
import { Delivery, DELIVERY_STATES, DeliveryList, WatchedJobList } from '../../../contract/operations.ts'
import { JobStatus } from '../../../contract/universal.ts'
import { uuid, words } from '../../../schema/fields.ts'
import { sendAgain, watchDeliveries, watchJobs } from '../../../jobs/operations.ts'
import { peopleContext } from '../../admin/admin-auth.ts'
import { readLimit, readUuid, readWord } from '../../query.ts'
import type { HttpServices, Route } from '../../services.ts'
import { paging } from './paging.ts'

export const jobs: Route = {
  method: 'GET',
  path: '/admin/jobs',
  access: 'admin',
  permission: 'jobs.read',
  summary: 'Jobs of all owners, newest first, without their contents',
  query: Type.Object({
    status: Type.Optional(JobStatus),
    ...paging,
  }),
  replies: { 200: { description: 'A page of jobs.', schema: WatchedJobList } },
  handle: (request: FastifyRequest, _reply: FastifyReply, { context }: HttpServices) => {
    const { status, limit, cursor } = request.query as Record<string, string | undefined>
    const wanted =
      status === undefined ? undefined : readWord('status', status, ['processing', 'success', 'fail'], 'success')
    return watchJobs({ status: wanted, limit: readLimit(limit), cursor }, peopleContext(request, context))
  },
}

export const deliveries: Route = {
  method: 'GET',
  path: '/admin/deliveries',
  access: 'admin',
  permission: 'jobs.read',
  summary: 'Webhooks, newest first, without their bodies',
  query: Type.Object({
    state: Type.Optional(words(DELIVERY_STATES, { description: 'Only deliveries in this state.' })),
    job_id: Type.Optional(uuid('Only deliveries of this job.')),
    ...paging,
  }),
  replies: { 200: { description: 'A page of deliveries.', schema: DeliveryList } },
  handle: (request: FastifyRequest, _reply: FastifyReply, { context }: HttpServices) => {
    const { state, job_id, limit, cursor } = request.query as Record<string, string | undefined>
    const wanted = state === undefined ? undefined : readWord('state', state, DELIVERY_STATES, 'pending')
    return watchDeliveries(
      { state: wanted, jobId: readUuid('job_id', job_id), limit: readLimit(limit), cursor },
      peopleContext(request, context),
    )
  },
}

export const redeliver: Route = {
  method: 'POST',
  path: '/admin/deliveries/{id}/redeliver',
  access: 'admin',
  permission: 'jobs.write',
  summary: 'Send a webhook again',
  description:
    'Sends the same bytes with the same signature, with a full set of attempts. Each attempt signs its own time.',
  replies: { 200: { description: 'The delivery.', schema: Delivery } },
  handle: (request: FastifyRequest, _reply: FastifyReply, { context }: HttpServices) => {
    return sendAgain((request.params as { id: string }).id, peopleContext(request, context))
  },
}
