import Type, { type Static } from '../schema/type.ts'
import { nullable, optional, timestamp, words } from '../schema/fields.ts'

const name = Type.String({ minLength: 1, maxLength: 200, description: 'What people call the key.' })
const kind = words(['live', 'sandbox'])
const region = words(['global', 'eu', 'us'])
const scopes = Type.Array(Type.String())
const moment = Type.String({ format: 'date-time' })

export const CreateKeyRequest = Type.Object(
  {
    name,
    kind: optional(kind, '`sandbox` keys get simulated answers that cost nothing.', { default: 'live' }),
    owner: optional(Type.String({ minLength: 1, maxLength: 200 }), 'Keys of one owner share jobs and files.'),
    region: optional(region, 'Models served elsewhere are out of reach.'),
    scopes: optional(scopes, 'What the key may do. Everything, when absent.'),
    expires_at: optional(moment, 'When the key stops working. Never, when absent.'),
  },
  {
    title: 'CreateKeyRequest',
    description: 'A key to make.',
    // A misspelt `expires_at` must not make a key that lives for ever.
    additionalProperties: false,
  },
)
export type CreateKeyRequest = Static<typeof CreateKeyRequest>

const key = {
  id: Type.String({ description: 'Identifies the key without being the key.' }),
  name,
  kind: words(['live', 'sandbox', 'admin'], {
    description: 'Whether calls are real; `admin` keys open the admin API only.',
  }),
  owner: Type.String({ description: 'Whose jobs and files the key sees.' }),
  region: words(['global', 'eu', 'us'], { description: 'Where models must be served.' }),
  scopes: nullable(scopes, 'What the key may do. Null: everything.'),
  expires_at: nullable(moment, 'When it stops working. Null: never.'),
  created_at: timestamp('When it was made.'),
  last4: Type.String({ description: 'Its last four characters.' }),
}

export const CreatedKey = Type.Object(
  { ...key, key: Type.String({ description: 'The key itself. It is not shown again.' }) },
  { title: 'CreatedKey', description: 'A key that was just made.' },
)
export type CreatedKey = Static<typeof CreatedKey>

export const KeySummary = Type.Object(
  {
    ...key,
    last_used_at: optional(moment, 'When it was last used, to the minute.'),
    revoked_at: optional(moment, 'When it was revoked.'),
  },
  { title: 'KeySummary', description: 'A key, without its secret.' },
)
export type KeySummary = Static<typeof KeySummary>

export const KeyList = Type.Object(
  {
    items: Type.Array(KeySummary, { description: 'The keys.' }),
    next_cursor: nullable(Type.String(), 'Send as `cursor` for the next page. Null on the last.'),
  },
  { title: 'KeyList', description: 'Keys, page by page.' },
)
export type KeyList = Static<typeof KeyList>

const sums = {
  requests: Type.Integer({ minimum: 0, description: 'Calls.' }),
  failed_requests: Type.Integer({ minimum: 0, description: 'Calls that ended in an error.' }),
  unpriced_requests: Type.Integer({ minimum: 0, description: 'Calls whose price is not known.' }),
  prompt_tokens: Type.Integer({ minimum: 0, description: 'Tokens read.' }),
  cached_tokens: Type.Integer({ minimum: 0, description: 'Tokens read from a cache, part of prompt_tokens.' }),
  completion_tokens: Type.Integer({ minimum: 0, description: 'Tokens written.' }),
  total_tokens: Type.Integer({ minimum: 0, description: 'Both together.' }),
  cost: Type.Number({ minimum: 0, description: 'USD. Calls whose price is not known add nothing.' }),
}

export const UsageReport = Type.Object(
  {
    from: timestamp('Begin, included.'),
    to: timestamp('End, not included.'),
    group_by: words(['key', 'model', 'provider', 'day'], { description: 'What each row is about.' }),
    items: Type.Array(
      Type.Object({ group: Type.String({ description: 'The key, model, provider or day.' }), ...sums }),
      { description: 'One row per group.' },
    ),
    total: Type.Object(sums, { description: 'All rows together.' }),
    next_cursor: nullable(Type.String(), 'Send as `cursor` for the next page. Null on the last.'),
  },
  { title: 'UsageReport', description: 'What was used.' },
)
export type UsageReport = Static<typeof UsageReport>
