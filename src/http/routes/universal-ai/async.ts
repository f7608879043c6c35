import type { FastifyReply } from 'fastify'
import Type from '../../../base/schema/type.ts'
import { ErrorBody } from '../../../contract/errors.ts'
import {
  DeletedJob,
  JobStatus,
  UniversalAsyncRequest,
  UniversalJob,
  UniversalJobList,
} from '../../../contract/universal.ts'
import { findJob, type JobReply, listOwnJobs, removeJob } from '../../../jobs/read-jobs.ts'
import { submit } from '../../../jobs/submit.ts'
import { parseWithDigits } from '../../../translation/json/exact-numbers.ts'
import { memberText } from '../../../translation/json/parse-body.ts'
import { unknownTo } from '../../../calls/upstream/unknown-fields.ts'
import { addHeaders } from '../../common-headers.ts'
import { droppedFields } from '../../open-reply.ts'
import { memoryLeaseOf } from '../../memory-lease.ts'
import { traceOf } from '../../entry/request-trace.ts'
import { labelsOfRequest } from '../../request-labels.ts'
import { DEFAULT_LIMIT, MAX_LIMIT, PAGE } from '../../query.ts'
import { route } from '../../define-route.ts'

const common = { access: 'key', scope: 'universal' } as const

const KNOWN: ReadonlySet<string> = new Set([...Object.keys(UniversalAsyncRequest.properties), 'user', 'metadata'])

export const create = route({
  method: 'POST',
  path: '/v3/universal-ai/async',
  ...common,
  stores: true,
  summary: 'Run a task in the background',
  description:
    'Returns the job at once. Get its result with a later request, or name a `webhook_receiver` that it is sent to. ' +
    'An accepted job is on disk. With an `Idempotency-Key` header, repeating the request returns the same job.',
  body: UniversalAsyncRequest,
  replies: {
    202: { description: 'The job.', schema: UniversalJob },
    409: { description: 'The `Idempotency-Key` was used with another body.', schema: ErrorBody },
  },
  handle: async (request, reply, services) => {
    const { value, text, outline, repeated } = request.body
    const idempotencyKey = request.headers['idempotency-key']?.toString()
    const written = memberText({ text, outline }, 'user_webhook_parameters')
    // Readers differ in which value of a repeated key they use, so such a text is written again.
    const parameters = repeated && written ? JSON.stringify(parseWithDigits(written)) : written
    const labels = labelsOfRequest(request, value)
    const trace = traceOf(request, services.calls)
    addHeaders(reply, droppedFields(unknownTo(value, KNOWN, '')))
    const submission = { body: value, text, parameters, idempotencyKey, labels, trace }
    return sendJob(
      reply,
      await submit(submission, request.caller, memoryLeaseOf(request, services.calls), services.jobs),
    )
  },
})

export const list = route({
  method: 'GET',
  path: '/v3/universal-ai/async',
  ...common,
  summary: 'List jobs',
  description: 'Your jobs, newest first.',
  query: Type.Object({
    feature: Type.Optional(Type.String({ maxLength: 100, description: 'Only jobs of this feature.' })),
    subfeature: Type.Optional(Type.String({ maxLength: 100, description: 'Only jobs of this subfeature.' })),
    status: Type.Optional(JobStatus),
    page: Type.Optional(PAGE),
    limit: Type.Optional(
      Type.Integer({ minimum: 1, maximum: MAX_LIMIT, default: DEFAULT_LIMIT, description: 'Jobs on a page.' }),
    ),
  }),
  replies: { 200: { description: 'A page of jobs.', schema: UniversalJobList } },
  handle: (request, _reply, services) => {
    const { page = 1, limit = DEFAULT_LIMIT, ...filter } = request.query
    return listOwnJobs({ ...filter, page, limit }, request.caller, services.calls)
  },
})

export const one = route({
  method: 'GET',
  path: '/v3/universal-ai/async/{job_id}',
  ...common,
  summary: 'Get a job',
  replies: { 200: { description: 'The job, with its result if it has one.', schema: UniversalJob } },
  handle: async (request, reply, services) =>
    sendJob(
      reply,
      await findJob(request.params.job_id, request.caller, memoryLeaseOf(request, services.calls), services.calls),
    ),
})

export const remove = route({
  method: 'DELETE',
  path: '/v3/universal-ai/async/{job_id}',
  ...common,
  summary: 'Delete a finished job',
  replies: {
    200: { description: 'The job is deleted.', schema: DeletedJob },
    409: { description: 'The job has not ended.', schema: ErrorBody },
  },
  handle: (request, _reply, services) => removeJob(request.params.job_id, request.caller, services.calls),
})

/** The parameters are written into the answer as the caller wrote them: parsing them would change some numbers. */
function sendJob(reply: FastifyReply, { job, userParameters }: JobReply): FastifyReply {
  const text = JSON.stringify(job)
  const members = userParameters === null ? '' : `,"user_parameters":${userParameters}`
  return reply.type('application/json; charset=utf-8').send(`${text.slice(0, -1)}${members}}`)
}
