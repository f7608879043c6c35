import { closed, moment, nullable, optional, timestamp, uuid, words } from '../../base/schema/fields.ts'
import { AMOUNT } from '../../base/schema/patterns.ts'
import Type, { type Static } from '../../base/schema/type.ts'
import { numbered } from './paging.ts'

// Client keys as programs manage them at `/v3/manage/keys`. A balance is a budget of the key: what is left of it.

const MAX_USD = 1_000_000
const name = Type.String({
  minLength: 1,
  maxLength: 200,
  description: 'A name for people. No other active key has it.',
})
const tokenType = words(['api_token', 'sandbox_api_token'])
const period = words(['none', 'daily', 'weekly', 'monthly'])
const usd = Type.Union([Type.String({ pattern: AMOUNT }), Type.Number({ minimum: 0, maximum: MAX_USD })])

const spending = {
  balance: optional(
    usd,
    'What the key may spend, in USD. Without a period, it is what the key may spend at all; with one, what is left of this period. Null lifts the limit.',
    { examples: ['50.00'] },
  ),
  active_balance: optional(
    Type.Boolean(),
    'Whether the balance is enforced. Otherwise it is only counted. A period enforces it.',
  ),
  balance_reset_period: optional(period, 'When the balance is full again: at midnight, on Monday, on the first.'),
  balance_reset_amount: optional(usd, 'What it is full with, in USD. Each period other than `none` needs it.'),
  expire_time: optional(moment, 'When the key expires, a day from now or later. Null means never.'),
}

export const CreateManagedKeyRequest = Type.Object(
  {
    name,
    token_type: optional(tokenType, '`sandbox_api_token`: simulated answers that cost nothing.', {
      default: 'api_token',
    }),
    member: optional(
      Type.String({ minLength: 1, maxLength: 320 }),
      'The e-mail address of the member whose usage it is.',
    ),
    project: optional(
      Type.String({ minLength: 1, maxLength: 200 }),
      'The id of its project. If absent: the only one that the management key reaches, or `personal`.',
    ),
    ...spending,
  },
  { ...closed, title: 'CreateManagedKeyRequest', description: 'A client key to create.' },
)
export type CreateManagedKeyRequest = Static<typeof CreateManagedKeyRequest>

export const ChangeManagedKeyRequest = Type.Object(
  { name: Type.Optional(name), ...spending },
  {
    ...closed,
    title: 'ChangeManagedKeyRequest',
    description: 'What to change of a client key. Fields that are absent stay as they are.',
  },
)
export type ChangeManagedKeyRequest = Static<typeof ChangeManagedKeyRequest>

const key = {
  id: uuid('Identifies the key. It is not the secret.'),
  name: Type.String({ description: 'A name for people.' }),
  token_type: words(['api_token', 'sandbox_api_token'], { description: 'Whether its calls are real.' }),
  member: nullable(Type.String(), 'The e-mail address of the member whose usage it is. Null without one.'),
  project: Type.String({ description: 'The id of its project.' }),
  masked: Type.String({ description: 'The beginning and the end of the secret.' }),
  active_balance: Type.Boolean({ description: 'Whether a balance is enforced.' }),
  balance: nullable(
    Type.Number({ minimum: 0 }),
    'What is left of its budget, in USD, less what running calls may need. Null without a budget.',
  ),
  balance_reset_period: words(['none', 'daily', 'weekly', 'monthly'], {
    description: 'When the balance is full again.',
  }),
  balance_reset_amount: nullable(Type.Number({ minimum: 0 }), 'What it is full with. Null without a period.'),
  expire_time: nullable(moment, 'When the key expires. Null means never.'),
  revoked: Type.Boolean({ description: 'Whether it was revoked. Then it stays in the list.' }),
  revoked_at: nullable(moment, 'When it was revoked.'),
}

export const ManagedKey = Type.Object(key, { title: 'ManagedKey', description: 'A client key, without its secret.' })
export type ManagedKey = Static<typeof ManagedKey>

const secret = Type.String({ description: 'The key itself. It is not shown again.' })

export const CreatedManagedKey = Type.Object(
  { ...key, secret },
  { title: 'CreatedManagedKey', description: 'A client key with its secret.' },
)
export type CreatedManagedKey = Static<typeof CreatedManagedKey>

export const RotatedManagedKey = Type.Object(
  { secret, masked: key.masked, name: key.name },
  { title: 'RotatedManagedKey', description: 'The new secret of a client key. The one before is refused from now on.' },
)
export type RotatedManagedKey = Static<typeof RotatedManagedKey>

export const ManagedKeyList = numbered(ManagedKey, 'ManagedKeyList', 'Client keys, newest first.')
export type ManagedKeyList = Static<typeof ManagedKeyList>

const mintable = words(['manage:read', 'manage:write'])

export const CreateAuthKeyRequest = Type.Object(
  {
    name: Type.String({ minLength: 1, maxLength: 200, description: 'A name for people.' }),
    scopes: Type.Array(mintable, { minItems: 1, maxItems: 2, description: 'What the key may do.' }),
    expire_time: optional(moment, 'When the key expires. Never if absent.'),
  },
  { ...closed, title: 'CreateAuthKeyRequest', description: 'A management key to create.' },
)
export type CreateAuthKeyRequest = Static<typeof CreateAuthKeyRequest>

const authKey = {
  id: uuid('Identifies the key. It is not the secret.'),
  name: Type.String({ description: 'A name for people.' }),
  scopes: Type.Array(Type.String(), { description: 'What the key may do.' }),
  masked: Type.String({ description: 'The beginning and the end of the secret.' }),
  created_at: timestamp('When it was created.'),
  expire_time: nullable(moment, 'When it expires. Null means never.'),
  revoked: Type.Boolean({ description: 'Whether it was revoked.' }),
  revoked_at: nullable(moment, 'When it was revoked.'),
}
const AuthKey = Type.Object(authKey, { title: 'AuthKey', description: 'A management key, without its secret.' })
export type AuthKey = Static<typeof AuthKey>

export const CreatedAuthKey = Type.Object(
  { ...authKey, secret },
  { title: 'CreatedAuthKey', description: 'A management key with its secret.' },
)
export type CreatedAuthKey = Static<typeof CreatedAuthKey>

export const AuthKeyList = numbered(AuthKey, 'AuthKeyList', 'The management keys of the same service account.')
export type AuthKeyList = Static<typeof AuthKeyList>

export const ManagementIdentity = Type.Object(
  {
    id: uuid('Identifies the management key.'),
    name: Type.String({ description: 'Its name.' }),
    organization: Type.String({ description: 'The id of the organization that it manages.' }),
    scopes: authKey.scopes,
    expire_time: authKey.expire_time,
  },
  { title: 'ManagementIdentity', description: 'The management key that asks.' },
)
export type ManagementIdentity = Static<typeof ManagementIdentity>
