import { moment, nullable, optional, timestamp, uuid, words } from '../../base/schema/fields.ts'
import Type, { type Static } from '../../base/schema/type.ts'
import { pageOf } from '../paging.ts'
import { closed, email, inOrganization, memberships, name, onProject, secretToken } from './person-fields.ts'
import { ROLES } from './roles.ts'

// Users, and tokens of service accounts.

export const User = Type.Object(
  {
    id: uuid('Identifies the user.'),
    kind: words(['person', 'service'], { description: '`service` accounts cannot sign in; they have tokens.' }),
    email: nullable(Type.String(), 'The e-mail address. Null for service accounts.'),
    name: Type.String({ description: 'A name for people.' }),
    organization: Type.String({ description: 'The organization.' }),
    has_password: Type.Boolean({ description: 'Whether the person can sign in with a password.' }),
    issuer: nullable(Type.String(), 'The identity provider that the person signs in with.'),
    disabled_at: nullable(moment, 'Since when the user may do nothing. Null if the user is active.'),
    last_seen_at: nullable(moment, 'When the person last signed in.'),
    created_at: timestamp('When the user was created.'),
    memberships,
  },
  { title: 'User', description: 'A person or a service account.' },
)
export type User = Static<typeof User>
export const UserList = pageOf(User, { title: 'UserList', description: 'Users, newest first.' })
export type UserList = Static<typeof UserList>

export const CreateUserRequest = Type.Object(
  {
    kind: optional(words(['person', 'service']), 'A person or a service account.', { default: 'service' }),
    name,
    email: optional(email, 'Persons need one.'),
    role: optional(words([...ROLES]), 'The first role of the user.'),
    organization: inOrganization,
    project: onProject,
  },
  closed('CreateUserRequest', 'A user to create. A person gets a password by an invitation, or signs in by SSO.'),
)
export type CreateUserRequest = Static<typeof CreateUserRequest>

export const ChangeUserRequest = Type.Object(
  {
    name: Type.Optional(name),
    email: Type.Optional(email),
    disabled: Type.Optional(
      Type.Boolean({ description: 'Whether the user may do nothing. Disabling ends sessions and revokes keys.' }),
    ),
  },
  closed('ChangeUserRequest', 'What to change of a user.'),
)
export type ChangeUserRequest = Static<typeof ChangeUserRequest>

/** What a management key may do at `/v3/manage`: make other keys of this kind, read, change. */
const MANAGEMENT_SCOPES = ['manage:mint', 'manage:read', 'manage:write'] as const
export type ManagementScope = (typeof MANAGEMENT_SCOPES)[number]

const scopes = Type.Array(words([...MANAGEMENT_SCOPES]), { minItems: 1, maxItems: MANAGEMENT_SCOPES.length })

const tokenFields = {
  id: uuid('Identifies the token. It is not the secret.'),
  name,
  scopes: nullable(scopes, 'What a management key may do at `/v3/manage`. Null for a token of the admin listener.'),
  last4: Type.String({ description: 'The last four characters of the token.' }),
  created_at: timestamp('When it was created.'),
  expires_at: nullable(moment, 'When it expires. Null means never.'),
  revoked_at: nullable(moment, 'When it was revoked.'),
  last_used_at: nullable(moment, 'When it was last used, to the minute.'),
}
export const AdminToken = Type.Object(tokenFields, {
  title: 'AdminToken',
  description: 'A token of a service account.',
})
export type AdminToken = Static<typeof AdminToken>
export const CreatedAdminToken = Type.Object(
  { ...tokenFields, token: secretToken('The token itself.') },
  { title: 'CreatedAdminToken', description: 'A token with its secret.' },
)
export type CreatedAdminToken = Static<typeof CreatedAdminToken>
export const AdminTokenList = pageOf(AdminToken, {
  title: 'AdminTokenList',
  description: 'Tokens of a service account.',
})
export type AdminTokenList = Static<typeof AdminTokenList>

export const CreateTokenRequest = Type.Object(
  {
    name,
    scopes: optional(
      scopes,
      'Makes it a management key, which is used at `/v3/manage` on the API and nowhere else. `manage:mint` stands alone.',
    ),
    expires_at: optional(moment, 'When the token expires. Never if absent.'),
  },
  closed('CreateTokenRequest', 'A token for a service account. It has the roles of the account.'),
)
export type CreateTokenRequest = Static<typeof CreateTokenRequest>
