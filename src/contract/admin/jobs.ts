import { closed, freeObject, moment, nullable, timestamp, uuid, words } from '../../base/schema/fields.ts'
import Type, { type Static, type TSchema } from '../../base/schema/type.ts'
import { WatchedJob } from './operations.ts'
import { ExpectedCount } from './bulk.ts'
import { CanReadContent } from './content.ts'

// What operators find out about jobs, and what they do with them.

const text = (description: string) => Type.String({ minLength: 1, maxLength: 300, description })

/** `processing` is `queued` or `running`. */
const JOB_FILTER_STATES = ['processing', 'queued', 'running', 'success', 'fail'] as const

/** The query parameters that say which jobs are meant; bodies have the same names. */
export const JOB_FILTERS = {
  status: Type.Optional(
    words(JOB_FILTER_STATES, { description: 'Only jobs in this state; `processing` is `queued` or `running`.' }),
  ),
  project: Type.Optional(text('Only jobs of this project.')),
  owner: Type.Optional(text('Only jobs of this owner.')),
  feature: Type.Optional(text('Only jobs with this first part of the model string.')),
  subfeature: Type.Optional(text('Only jobs with this second part of the model string.')),
  provider: Type.Optional(text('Only jobs of this provider.')),
  from: Type.Optional(timestamp('Only jobs that were accepted at this time or later.')),
  to: Type.Optional(timestamp('Only jobs that were accepted before this time.')),
} satisfies Record<string, TSchema>

const count = (description: string) => Type.Integer({ minimum: 0, description })

export const JobCounts = Type.Object(
  {
    queued: count('Jobs that wait.'),
    running: count('Jobs that run.'),
    success: count('Jobs that succeeded.'),
    fail: count('Jobs that failed, or were cancelled.'),
    total: count('All of them.'),
  },
  { title: 'JobCounts', description: 'How many jobs there are.' },
)
export type JobCounts = Static<typeof JobCounts>

const JobEvent = Type.Object(
  {
    at: nullable(moment, 'When it happened. Null if that was not recorded.'),
    event: words(
      ['submitted', 'retry_submitted', 'started', 'started_again', 'lease_lost', 'cancel_asked', 'finished', 'webhook'],
      { description: 'What happened.' },
    ),
    note: nullable(Type.String(), 'More about it.'),
  },
  { title: 'JobEvent', description: 'Something that happened to a job.' },
)

export const JobRecord = Type.Object(
  {
    ...WatchedJob.properties,
    project: Type.String({ description: 'The project that it belongs to.' }),
    attempt: count('The number of the last claim.'),
    worker: nullable(Type.String(), 'The process that runs it, or ran it last.'),
    webhook: nullable(Type.String(), 'Its receiver, without what may be a secret in its address.'),
    delivery_id: nullable(uuid('Its webhook.'), 'Its webhook, if it has one.'),
    retry_of: nullable(uuid('A job.'), 'The failed job that this one runs again.'),
    retried_as: nullable(uuid('A job.'), 'The job that ran this one again.'),
    can_retry: Type.Boolean({ description: 'Whether it failed, and what it needs to run again is still there.' }),
    can_read_content: CanReadContent,
    timeline: Type.Array(JobEvent, { description: 'What happened to it, as far as it is recorded, in its order.' }),
    input: nullable(
      freeObject(),
      'What was submitted. Only with `content=true`; null if it is not there, or too long.',
    ),
    output: nullable(freeObject(), 'The result. Only with `content=true`; null if there is none, or it is too long.'),
  },
  { title: 'JobRecord', description: 'A job with its history.' },
)
export type JobRecord = Static<typeof JobRecord>

export const BulkJobsRequest = Type.Object(
  {
    action: words(['cancel', 'retry', 'delete'], { description: 'What to do with them.' }),
    filter: Type.Object(JOB_FILTERS, { ...closed, title: 'JobFilter', description: 'Which jobs are meant.' }),
    expected_count: ExpectedCount,
  },
  { ...closed, title: 'BulkJobsRequest', description: 'Something to do with all jobs that pass a filter.' },
)
export type BulkJobsRequest = Static<typeof BulkJobsRequest>

export const RetriedJob = Type.Object(
  {
    id: uuid('The new job.'),
    retry_of: uuid('The job that failed.'),
    created_at: timestamp('When it was accepted.'),
  },
  { title: 'RetriedJob', description: 'The job that runs another one again.' },
)
export type RetriedJob = Static<typeof RetriedJob>
