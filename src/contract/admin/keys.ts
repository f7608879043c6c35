import Type, { type Static } from '../../base/schema/type.ts'
import { ExpectedCount } from './bulk.ts'
import { ENDPOINT_SCOPES, Policy } from './policy.ts'
import { LimitBody } from './limits.ts'
import { closed, moment, nullable, optional, timestamp, uuid, words } from '../../base/schema/fields.ts'
import { pageOf } from '../paging.ts'
import { DAY_SECONDS } from '../../base/units/units.ts'

const name = Type.String({ minLength: 1, maxLength: 200, description: 'A name for people.' })
const kind = words(['live', 'sandbox'])
const region = words(['global', 'eu', 'us'])
const scopes = Type.Array(Type.String())
const project = Type.String({ minLength: 1, maxLength: 200 })
const user = Type.String({ minLength: 1, maxLength: 200 })
const allowedIps = Type.Array(Type.String({ maxLength: 100 }), { minItems: 1, maxItems: 100 })
/** The longest time for which a secret stays valid after its rotation. */
export const MAX_OVERLAP_SECONDS = 30 * DAY_SECONDS

export const CreateKeyRequest = Type.Object(
  {
    name,
    kind: optional(kind, '`sandbox` keys get simulated answers that cost nothing.', { default: 'live' }),
    project: optional(project, 'The id of its project. `personal`, where keys share nothing, if absent.'),
    owner: optional(project, 'Like `project`, but a project that does not exist is created.'),
    user: optional(user, 'The id of the person or the service account that uses the key.'),
    policy: optional(Policy, 'What the key may do, beside what its project allows.'),
    region: optional(region, 'Models that are served elsewhere cannot be used.'),
    scopes: optional(scopes, 'What the key may use. Everything if absent.'),
    expires_at: optional(moment, 'When the key expires. Never if absent.'),
    allowed_ips: optional(allowedIps, 'Networks (`10.0.0.0/8`) and addresses that may use the key. All if absent.'),
  },
  {
    title: 'CreateKeyRequest',
    description: 'A key to create.',
    // Unknown fields are refused, so that a misspelt `expires_at` does not create a key that never expires.
    additionalProperties: false,
  },
)
export type CreateKeyRequest = Static<typeof CreateKeyRequest>

export const PreviewKeyRequest = Type.Object(
  {
    kind: optional(kind, '`sandbox` keys can call every model.', { default: 'live' }),
    project: optional(project, 'The id of its project. `personal` if absent.'),
    policy: optional(Policy, 'What the key may do, beside what its project allows.'),
    region: optional(region, 'Models that are served elsewhere cannot be used.'),
    scopes: optional(scopes, 'What the key may use. Everything if absent.'),
  },
  { title: 'PreviewKeyRequest', description: 'A key that is not created yet.', additionalProperties: false },
)
export type PreviewKeyRequest = Static<typeof PreviewKeyRequest>

export const KeyPreview = Type.Object(
  {
    endpoints: Type.Array(words(ENDPOINT_SCOPES), { description: 'The endpoints that it could use.' }),
    models: Type.Integer({ minimum: 0, description: 'How many models of the catalog it could use.' }),
    available: Type.Integer({ minimum: 0, description: 'How many of them can be called now.' }),
    examples: Type.Array(Type.String(), { description: 'Some of those that can be called now.' }),
    limits: Type.Array(LimitBody, { description: 'The budgets and rate limits that would apply, the widest first.' }),
  },
  { title: 'KeyPreview', description: 'What such a key could use.' },
)
export type KeyPreview = Static<typeof KeyPreview>

export const UpdateKeyRequest = Type.Object(
  {
    name: Type.Optional(name),
    region: Type.Optional(words(['global', 'eu', 'us'], { description: 'Where models must be served.' })),
    project: Type.Optional(Type.String({ ...project, description: 'The id of another project.' })),
    user: optional(user, 'The id of the person or the service account that uses the key. Null for none.'),
    policy: optional(Policy, 'What the key may do, beside what its project allows. Null restricts nothing.'),
    scopes: optional(scopes, 'What the key may use. Null means everything.'),
    expires_at: optional(moment, 'When the key expires. Null means never.'),
    allowed_ips: optional(allowedIps, 'Networks and addresses that may use the key. Null means all.'),
  },
  {
    title: 'UpdateKeyRequest',
    description: 'What to change of a key. Fields that are absent stay as they are.',
    additionalProperties: false,
  },
)
export type UpdateKeyRequest = Static<typeof UpdateKeyRequest>

export const RotateKeyRequest = Type.Object(
  {
    overlap_seconds: optional(
      Type.Integer({ minimum: 0, maximum: MAX_OVERLAP_SECONDS }),
      'How long the secrets before this one stay valid. They are refused at once if absent.',
      { default: 0 },
    ),
    project: Type.Optional(Type.String({ ...project, description: 'The id of another project, which it joins.' })),
    user: optional(user, 'Who uses the key from now on. Null for no user. It stays as it is if absent.'),
  },
  { title: 'RotateKeyRequest', description: 'How to replace the secret of a key.', additionalProperties: false },
)
export type RotateKeyRequest = Static<typeof RotateKeyRequest>

const key = {
  id: uuid('Identifies the key. It is not the secret.'),
  name,
  kind: words(['live', 'sandbox', 'admin'], {
    description: 'Whether calls are real. `admin` keys can only use the admin API.',
  }),
  owner: Type.String({ description: 'Whose jobs and files the key can use: the id of its project, or its own id.' }),
  project: Type.String({ description: 'The id of its project.' }),
  user: nullable(user, 'The id of the person or the service account that uses the key.'),
  policy: nullable(Policy, 'What the key may do, beside what its project allows. Null restricts nothing.'),
  region: words(['global', 'eu', 'us'], { description: 'Where models must be served.' }),
  scopes: nullable(scopes, 'What the key may use. Null means everything.'),
  expires_at: nullable(moment, 'When the key expires. Null means never.'),
  allowed_ips: nullable(allowedIps, 'Networks and addresses that may use the key. Null means all.'),
  former_valid_until: nullable(moment, 'Until when a secret before the last rotation is valid. Null if none is.'),
  created_at: timestamp('When it was created.'),
  last4: Type.String({ description: 'The last four characters of the key.' }),
  recording: nullable(
    Type.Object({
      requests_left: Type.Integer({ description: 'How many more requests are recorded.' }),
      expires_at: Type.String({ format: 'date-time', description: 'When recording ends.' }),
      mode: words(['redacted', 'full'], { description: 'What is kept of them.' }),
    }),
    'Whether the content of its next requests is recorded. Null if not.',
  ),
}

const text = (description: string) => Type.String({ minLength: 1, maxLength: 300, description })
export const KEY_STATES = ['active', 'expired', 'revoked'] as const

/** The query parameters that say which keys are meant; bodies have the same names. */
export const KEY_FILTERS = {
  project: Type.Optional(text('Only keys of this project.')),
  user: Type.Optional(text('Only keys of this user.')),
  state: Type.Optional(words(KEY_STATES, { description: 'Only keys in this state.' })),
  name: Type.Optional(text('Only keys whose name contains this, in upper or lower case.')),
}
const KeyFilters = Type.Object(KEY_FILTERS, { ...closed, title: 'KeyFilter', description: 'Which keys are meant.' })
export type KeyFilters = Static<typeof KeyFilters>

export const BulkKeysRequest = Type.Object(
  {
    action: words(['revoke'], { description: 'What to do with them.' }),
    filter: KeyFilters,
    expected_count: ExpectedCount,
  },
  { ...closed, title: 'BulkKeysRequest', description: 'Something to do with all keys that pass a filter.' },
)
export type BulkKeysRequest = Static<typeof BulkKeysRequest>

export const CreatedKey = Type.Object(
  { ...key, key: Type.String({ description: 'The key itself. It is not shown again.' }) },
  { title: 'CreatedKey', description: 'A key with the secret that it has just been given.' },
)
export type CreatedKey = Static<typeof CreatedKey>

export const KeySummary = Type.Object(
  {
    ...key,
    last_used_at: optional(moment, 'When it was last used, to the minute.'),
    revoked_at: optional(moment, 'When it was revoked.'),
    month_requests: Type.Optional(
      Type.Integer({ minimum: 0, description: 'Calls since the month began (UTC). In the list, and of a single key.' }),
    ),
    month_cost: Type.Optional(
      Type.Number({ description: 'What they cost in USD, without calls whose price is not known.' }),
    ),
  },
  { title: 'KeySummary', description: 'A key, without its secret.' },
)
export type KeySummary = Static<typeof KeySummary>

export const KeyList = pageOf(KeySummary, { title: 'KeyList', description: 'Keys, page by page.', items: 'The keys.' })
export type KeyList = Static<typeof KeyList>
