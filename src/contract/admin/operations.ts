import Type, { type Static } from '../../base/schema/type.ts'
import { freeObject, mapOf, moment, nullable, timestamp, uuid, words } from '../../base/schema/fields.ts'
import { ExplainedPolicy, SpendingForecast } from './forecast.ts'
import { ChatRequest } from '../chat.ts'
import { JobStatus } from '../universal.ts'
import { pageOf } from '../paging.ts'

// What operators see of jobs, webhooks and providers.

export const DELIVERY_STATES = ['pending', 'delivered', 'failed'] as const

export const WatchedJob = Type.Object(
  {
    id: uuid('Identifies the job.'),
    owner: Type.String({ description: 'Whose it is: the id of the project, or of the key where keys do not share.' }),
    key_id: Type.String({ description: 'The id of the key that submitted it.' }),
    key_name: nullable(Type.String(), 'The name of the key, also of a deleted one.'),
    feature: Type.String({ description: 'The first part of the model string.' }),
    subfeature: Type.String({ description: 'The second part of the model string.' }),
    provider: Type.String({ description: 'The provider that does the task.' }),
    model: nullable(Type.String(), "The provider's model, if one was named."),
    status: JobStatus,
    state: words(['queued', 'running', 'success', 'fail'], {
      description: 'The status, with what `processing` means.',
    }),
    cost: nullable(Type.Number(), 'What the task cost, in USD. Null if the price is not known.'),
    error: nullable(Type.String(), 'Why it failed.'),
    executions: Type.Integer({ minimum: 0, description: 'How often it was started.' }),
    created_at: timestamp('When it was accepted.'),
    started_at: nullable(moment, 'When it was last started.'),
    finished_at: nullable(moment, 'When it ended.'),
  },
  { title: 'WatchedJob', description: 'A job without its contents.' },
)
export type WatchedJob = Static<typeof WatchedJob>

export const WatchedJobList = pageOf(WatchedJob, {
  title: 'WatchedJobList',
  description: 'Jobs of all owners, page by page.',
  items: 'The jobs, newest first.',
})
export type WatchedJobList = Static<typeof WatchedJobList>

export const Delivery = Type.Object(
  {
    id: uuid('Identifies the delivery.'),
    job_id: uuid('The job that it reports. A message to a receiver of alerts has its own id here.'),
    owner: Type.String({
      description: 'The owner of the job; `receiver:<name>` for a message to a receiver of alerts.',
    }),
    url: Type.String({ description: 'The receiver, without what may be a secret in its address.' }),
    key_id: Type.String({ description: 'The id of the RSA key that signed it.' }),
    state: words(DELIVERY_STATES, { description: 'Whether it has arrived.' }),
    attempts: Type.Integer({ minimum: 0, description: 'Attempts whose outcome is known.' }),
    next_at: timestamp('When the next attempt is due, if it is pending.'),
    last_status: nullable(Type.Integer(), 'The status of the last answer.'),
    last_error: nullable(Type.String(), 'Why the last attempt failed.'),
    created_at: timestamp('When the job ended.'),
    settled_at: nullable(moment, 'When it arrived or was given up.'),
  },
  { title: 'Delivery', description: 'A webhook without its body.' },
)
export type Delivery = Static<typeof Delivery>

export const DeliveryList = pageOf(Delivery, {
  title: 'DeliveryList',
  description: 'Webhooks, page by page.',
  items: 'The deliveries, newest first.',
})
export type DeliveryList = Static<typeof DeliveryList>

const circuitState = (description: string) => words(['closed', 'open', 'half-open'], { description })

const WatchedProvider = Type.Object({
  id: Type.String({ description: 'The first part of model names.' }),
  name: Type.String({ description: 'Its name for people.' }),
  credentials: Type.Array(
    Type.Object({
      index: Type.Integer({ minimum: 0, description: 'Its index in the list of the provider.' }),
      name: nullable(Type.String(), 'The name that targets are bound to.'),
      ends_with: nullable(Type.String(), 'Its last four characters. Null if it is too short to show some of it.'),
      weight: Type.Number({ description: 'Its share of the calls.' }),
    }),
    { description: 'The keys at the provider, masked.' },
  ),
})

export const WatchedCircuit = Type.Object({
  model: Type.String({ description: 'The model, as `provider/model`.' }),
  credential: Type.Integer({ minimum: 0, description: 'The index of the credential.' }),
  state: circuitState('The worst state among all owners.'),
  for_everyone: circuitState('The state for owners without one of their own.'),
  open_owners: Type.Integer({ minimum: 0, description: 'How many owners have an open circuit of their own.' }),
  failures: Type.Integer({ minimum: 0, description: 'Failures in a row.' }),
  because: Type.String({ description: 'The last failure.' }),
  retry_in_ms: Type.Number({ minimum: 0, description: 'When the next call is let through.' }),
  process: Type.String({ description: 'The process whose calls failed.' }),
})

const Observation = Type.Object({
  model: Type.String({ description: 'The model, as `provider/model`.' }),
  first_token_ms: Type.Number({ description: 'The time until the first token.' }),
  tokens_per_second: Type.Number({ description: 'The speed after that.' }),
  error_rate: Type.Number({ minimum: 0, maximum: 1, description: 'The share of calls that failed.' }),
  samples: Type.Number({ minimum: 0, description: 'How many calls that is based on; recent ones count more.' }),
})

export const WatchedTargets = Type.Object(
  {
    process: Type.String({ description: 'The process that answers.' }),
    other_processes: Type.Array(
      Type.Object({
        process: Type.String({ description: 'Its name.' }),
        role: Type.String({ description: 'What it does: `all`, `api` or `worker`.' }),
      }),
      { description: 'The other processes on the same database that are alive.' },
    ),
    providers: Type.Array(WatchedProvider, { description: 'Providers that are configured.' }),
    circuits: Type.Array(WatchedCircuit, { description: 'Circuits that are not closed.' }),
    observed: Type.Array(Observation, { description: 'What recent calls have shown.' }),
  },
  { title: 'WatchedTargets', description: 'What the answering process knows.' },
)
export type WatchedTargets = Static<typeof WatchedTargets>

const SentRequest = Type.Object(
  {
    method: Type.String({ description: 'The method.' }),
    url: Type.String({ description: 'The address, without credentials.' }),
    headers: mapOf(Type.String(), { description: 'The headers, without credentials and boundaries of forms.' }),
    body: Type.Unknown({
      description:
        'JSON as it is sent, a form as a list of its parts, any other body as a text. Files are named: `[file ID]`.',
    }),
  },
  { title: 'SentRequest', description: 'A request to a provider, without what proves who sends it.' },
)

const ExplainedTarget = Type.Object({
  model: Type.String({ description: 'The model, as `provider/model`.' }),
  provider: Type.String({ description: 'Its provider.' }),
  dialect: Type.Optional(Type.String({ description: 'The wire format of the provider.' })),
  credentials: Type.Integer({ minimum: 0, description: 'How many credentials it could be called with.' }),
  credential: Type.Optional(Type.String({ description: 'The credential that the alias names.' })),
  request: nullable(
    SentRequest,
    'The first request as it would be sent. Null if none is sent: the target is simulated, or an engine of the gateway.',
  ),
  further_requests: Type.Optional(
    Type.Array(SentRequest, {
      description: 'Requests that would be sent at the same time: for several choices or images, or for many texts.',
    }),
  ),
  engines: Type.Optional(
    Type.Array(Type.String(), { description: 'The engines of the gateway that would do the work.' }),
  ),
  notes: Type.Array(
    Type.Object({
      field: Type.String({ description: 'The field of the request.' }),
      action: words(['added', 'dropped', 'renamed', 'translated', 'passed_on', 'retires', 'lowered'], {
        description: 'What would happen to it.',
      }),
      reason: Type.String({ description: 'Why.' }),
    }),
    { description: 'Fields that would be translated or dropped.' },
  ),
  limits: mapOf(Type.Number(), { description: 'The time limits of the call, in milliseconds.' }),
  known: Type.Boolean({ description: 'Whether the catalog knows the model.' }),
  estimated_cost: nullable(
    Type.Number(),
    'Of a chat, in USD. Null if the price is not known, and where the length of an answer is not estimated.',
  ),
  worst_case: Type.Object(
    {
      cost: nullable(Type.Number({ minimum: 0 }), 'In USD. Null if the price is not known.'),
      input_tokens: Type.Number({
        minimum: 0,
        description: 'Each byte counts as one, unless the tokens were counted.',
      }),
      output_tokens: Type.Number({ minimum: 0, description: 'Of all answers together.' }),
    },
    { description: 'The most that an attempt could use: what limits reserve.' },
  ),
  price_version: nullable(Type.String(), 'The day on which the price was checked.'),
  spending: SpendingForecast,
})

const ResolvedName = Type.Object({
  name: Type.String({ description: 'The name in the request.' }),
  how: words(['alias', 'model', 'wildcard', 'bare_name'], {
    description:
      'As an alias, as `provider/model`, as an alias with a `*`, or as the name of a model without a provider.',
  }),
  alias: Type.Optional(Type.String({ description: 'The alias that was found.' })),
  stands_for: Type.Array(Type.String(), {
    description: 'The models that it stands for, fallbacks of an alias included.',
  }),
})

/** A chat alone is explained as a request to chat completions. */
export const ExplainRequest = Type.Union(
  [
    Type.Object(
      {
        endpoint: Type.String({
          maxLength: 1_000,
          description: 'The path of an endpoint of the API that asks a provider, such as `/v3/embeddings`.',
        }),
        body: freeObject({ description: 'The body that would be sent there, as JSON.' }),
      },
      { title: 'ExplainedEndpoint', additionalProperties: false },
    ),
    ChatRequest,
  ],
  { title: 'ExplainRequest', description: 'A request to an endpoint, or a chat alone.' },
)
export type ExplainRequest = Static<typeof ExplainRequest>

export const Explanation = Type.Object(
  {
    resolved: Type.Array(ResolvedName, { description: 'How the names of models were understood.' }),
    targets: Type.Array(ExplainedTarget, { description: 'In the order in which they would be tried.' }),
    routing: Type.Optional(freeObject({ description: 'How the router chose, if it did.' })),
    hooks_not_run: Type.Optional(
      Type.Array(Type.String(), {
        description: 'Hooks before the call that would ask a model, so the request is shown as it was before them.',
      }),
    ),
    policy: ExplainedPolicy,
  },
  { title: 'Explanation', description: 'What would happen to a request.' },
)
export type Explanation = Static<typeof Explanation>
