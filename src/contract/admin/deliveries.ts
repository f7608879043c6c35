import { closed, mapOf, nullable, timestamp, uuid, words } from '../../base/schema/fields.ts'
import Type, { type Static, type TSchema } from '../../base/schema/type.ts'
import { Delivery, DELIVERY_STATES } from './operations.ts'
import { ExpectedCount } from './bulk.ts'
import { CanReadContent } from './content.ts'

const text = (description: string) => Type.String({ minLength: 1, maxLength: 300, description })
const headers = mapOf(Type.String(), { description: 'The headers of the request, with its signatures.' })

const places = {
  project: Type.Optional(text('Only webhooks of this project.')),
  owner: Type.Optional(text('Only webhooks of this owner.')),
  receiver: Type.Optional(text('Only webhooks to this host, with its port if it has one.')),
  from: Type.Optional(timestamp('Only webhooks of jobs that ended at this time or later.')),
  to: Type.Optional(timestamp('Only webhooks of jobs that ended before this time.')),
} satisfies Record<string, TSchema>

const filters = {
  job_id: Type.Optional(uuid('Only deliveries of this job.')),
  last_status: Type.Optional(Type.Integer({ minimum: 100, maximum: 599, description: 'Only with this last answer.' })),
  ...places,
}

/** The query parameters of the list. */
export const DELIVERY_FILTERS = {
  state: Type.Optional(words(DELIVERY_STATES, { description: 'Only deliveries in this state.' })),
  ...filters,
}

const DeliveryAttempt = Type.Object(
  {
    at: Type.String({ format: 'date-time', description: 'When it ended.' }),
    status: nullable(Type.Integer(), 'The status of the answer. Null if there was none.'),
    error: nullable(Type.String(), 'Why it failed.'),
    duration_ms: Type.Integer({ minimum: 0, description: 'How long it took.' }),
    answer: nullable(Type.String(), 'The first kilobyte of the answer. Only with `content=true`.'),
    headers: nullable(headers, 'The headers that were sent.'),
  },
  { title: 'DeliveryAttempt', description: 'One try to send a webhook.' },
)

const PublicKeys = Type.Object(
  {
    rsa: Type.String({ description: 'The RSA key of `X-Service-Signature`, as PEM.' }),
    ed25519: Type.String({ description: 'The key of `webhook-signature`, in the form of Standard Webhooks.' }),
  },
  { title: 'WebhookPublicKeys', description: 'The keys that verify webhooks that are signed now.' },
)

export const DeliveryRecord = Type.Object(
  {
    ...Delivery.properties,
    can_read_content: CanReadContent,
    body: nullable(Type.String(), 'The bytes that are sent, as text. Only with `content=true`; null if too long.'),
    attempt_list: Type.Array(DeliveryAttempt, { description: 'The attempts, newest first, at most 50.' }),
    public_keys: nullable(PublicKeys, 'Null until the store has been reached.'),
  },
  { title: 'DeliveryRecord', description: 'A webhook with everything that is known about it.' },
)
export type DeliveryRecord = Static<typeof DeliveryRecord>

export const RedeliverRequest = Type.Object(
  {
    filter: Type.Object(filters, { ...closed, title: 'DeliveryFilter', description: 'Which of the failed ones.' }),
    expected_count: ExpectedCount,
  },
  { ...closed, title: 'RedeliverRequest', description: 'Which failed webhooks to send again.' },
)
export type RedeliverRequest = Static<typeof RedeliverRequest>

export const TestDeliveryRequest = Type.Object(
  { url: Type.String({ minLength: 1, maxLength: 2_000, description: 'The receiver to try.' }) },
  { ...closed, title: 'TestDeliveryRequest', description: 'A receiver to try.' },
)
export type TestDeliveryRequest = Static<typeof TestDeliveryRequest>

export const TestDelivery = Type.Object(
  {
    delivered: Type.Boolean({ description: 'Whether the receiver took it.' }),
    status: nullable(Type.Integer(), 'The status of its answer.'),
    error: nullable(Type.String(), 'Why it failed.'),
    duration_ms: Type.Integer({ minimum: 0, description: 'How long it took.' }),
    answer: nullable(Type.String(), 'The first kilobyte of its answer.'),
    headers,
    body: Type.String({ description: 'The bytes that were sent.' }),
  },
  { title: 'TestDelivery', description: 'What a receiver made of a test.' },
)
export type TestDelivery = Static<typeof TestDelivery>
