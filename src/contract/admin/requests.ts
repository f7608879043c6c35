import { freeObject, nullable, timestamp } from '../../base/schema/fields.ts'
import Type, { type Static } from '../../base/schema/type.ts'
import { pageOf } from '../paging.ts'
import { ContentState } from './content.ts'

const text = (description: string) => Type.String({ description })
const textOrNull = (description: string) => nullable(Type.String(), description)
const count = (description: string) => Type.Integer({ description })
const numberOrNull = (description: string) => nullable(Type.Number(), description)

const line = {
  id: text('The id of the call: its `x-request-id`, or your own id with one of ours behind it.'),
  at: timestamp('When the call ended.'),
  organization: text('The organization.'),
  project: text('The project.'),
  project_name: textOrNull('The name of the project, also of a deleted one.'),
  key: text('The id of the key.'),
  key_name: textOrNull('The name of the key, also of a deleted one.'),
  owner: text('The owner whose files and jobs the call used.'),
  user: textOrNull('The user that the key belongs to.'),
  user_name: textOrNull('The name of the user. Null for one that was deleted.'),
  end_user: textOrNull('Whom the call was for, as the caller says.'),
  session: textOrNull('The session of an agent that the call is part of, as the caller says.'),
  agent: textOrNull('The agent inside of the session.'),
  parent_agent: textOrNull('The agent that started it.'),
  client: textOrNull('The program that sent the call, such as `claude-code`. Null if the gateway does not know it.'),
  tags: nullable(freeObject(), 'The tags of the call.'),
  endpoint: text('The endpoint, such as `chat`.'),
  requested_model: textOrNull('The name that the caller asked for.'),
  model: text('The model that answered, or that was asked last. Empty if none was.'),
  provider: text('Its provider.'),
  status: count('The status of the answer.'),
  code: textOrNull(
    'The error code, also of an answer that broke off after its status was sent. `interrupted`: the process was killed.',
  ),
  stream: Type.Boolean({ description: 'Whether the answer was streamed.' }),
  attempts: count('How many attempts were made.'),
  fallback: Type.Boolean({ description: 'Whether another model than the first one was asked last.' }),
  upstream_ids: Type.Array(Type.String(), {
    description: "The providers' ids of the attempts, as far as they sent any.",
  }),
  prompt_tokens: count('Tokens read.'),
  cached_tokens: count('Tokens read from a cache, part of prompt_tokens.'),
  cache_write_tokens: count('Tokens written to a cache, part of prompt_tokens.'),
  completion_tokens: count('Tokens written.'),
  reasoning_tokens: count('Tokens of reasoning, part of completion_tokens.'),
  cost: numberOrNull('The cost in USD. Null if the price is not known.'),
  estimated: Type.Boolean({ description: 'Whether the tokens or the cost are an estimate.' }),
  duration_ms: count('How long the call took.'),
  first_token_ms: nullable(Type.Integer(), 'How long it took to the first token of a stream.'),
  batch: textOrNull('The batch that the call is a line of.'),
  tier: textOrNull('What the provider sold the call as, such as `batch`. Null for its usual price.'),
}

export const RequestLine = Type.Object(line, { title: 'RequestLine', description: 'A call in the request log.' })
export type RequestLine = Static<typeof RequestLine>

export const RequestList = pageOf(RequestLine, {
  title: 'RequestList',
  description: 'The request log, page by page.',
  items: 'Calls, newest first. There may be fewer than `limit`, even none.',
})
export type RequestList = Static<typeof RequestList>

/** The data of the events of `/admin/requests/live`. */
export const LiveRequestEvent = Type.Union(
  [
    RequestLine,
    Type.Object(
      { count: count('How many calls were left out before the next one.') },
      {
        title: 'DroppedRequests',
        description: 'Calls that were left out, because there were more than the client took.',
      },
    ),
  ],
  { title: 'LiveRequestEvent', description: 'The data of an event: `request` has a call, `dropped` a count.' },
)

const RequestAttempt = Type.Object(
  {
    model: text('The model that was asked.'),
    provider: text('Its provider.'),
    credential: textOrNull('The name of the credential, if it has one.'),
    outcome: text(
      '`answered`, `abandoned` (the caller left, or the answer was of no use), `interrupted` (the process was killed), or the kind of failure.',
    ),
    status: nullable(Type.Integer(), "The provider's status. Null if there was none, and in the sandbox."),
    upstream_id: textOrNull("The provider's id of the request."),
    connect_ms: numberOrNull('How long it took to connect. Null if an open connection was used.'),
    first_byte_ms: numberOrNull('The time until the head of the answer.'),
    duration_ms: Type.Number({ description: 'The time until the end of the answer, or until the failure.' }),
    reason: textOrNull('Why it failed, or why its answer was of no use.'),
  },
  { title: 'RequestAttempt', description: 'One try at one model with one credential.' },
)
export type RequestAttempt = Static<typeof RequestAttempt>

export const RequestRecord = Type.Object(
  {
    ...line,
    provider_cost: numberOrNull('The cost that the provider reported.'),
    price_version: textOrNull('The day on which the prices were checked.'),
    more_tokens: nullable(freeObject(), 'Rarer kinds of tokens and other units, by name.'),
    cost_components: freeObject({ description: 'What the cost is made of, in USD, by name. They add up to the cost.' }),
    attempt_list: Type.Array(RequestAttempt, { description: 'The attempts, in their order.' }),
    notes: Type.Array(
      Type.Object(
        { field: text('The field.'), action: text('What happened to it.'), reason: text('Why.') },
        { title: 'RequestNote', description: 'A field that was dropped, changed or passed on.' },
      ),
      { description: 'Fields that were dropped or changed.' },
    ),
    hooks: Type.Array(
      Type.Object(
        {
          action: text('The hook.'),
          phase: text('`pre` or `post`.'),
          duration_ms: Type.Number({ description: 'How long it ran.' }),
          changed: Type.Boolean({ description: 'Whether it changed something.' }),
          flagged: Type.Array(Type.String(), { description: 'What it found but did not block.' }),
        },
        { title: 'RequestHook', description: 'A hook that ran.' },
      ),
      { description: 'The hooks that ran.' },
    ),
    guardrails: Type.Array(
      Type.Object(
        {
          guardrail: text('The guardrail.'),
          outcome: text('What it did: one of the outcomes of the filter `guardrail`.'),
          check: textOrNull('Which of its checks did it. Null for what no check can read.'),
          count: count('How often.'),
          found: Type.Array(Type.String(), {
            description: 'What was found, or why nothing was looked at. Never the text.',
          }),
        },
        { title: 'RequestGuardrail', description: 'What a check of a guardrail did.' },
      ),
      { description: 'What guardrails did. Those that found nothing are left out.' },
    ),
    limits: Type.Array(
      Type.Object(
        {
          limit_id: text('The limit.'),
          unit: text('What it counts.'),
          used: Type.Number({ description: 'What the call has used of it, in this unit.' }),
        },
        { title: 'RequestLimit', description: 'A budget or rate limit.' },
      ),
      { description: 'The limits that the call was counted against, or that refused it.' },
    ),
    trace_id: textOrNull('The trace that the call is part of.'),
    content: ContentState,
  },
  { title: 'RequestRecord', description: 'A call with everything that is known about it.' },
)
export type RequestRecord = Static<typeof RequestRecord>

/** What the ledger knows of a call. */
export type LedgerRecord = Omit<RequestRecord, 'content'>
