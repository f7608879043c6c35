import { moment, nullable, optional, timestamp, uuid, words } from '../../schema/fields.ts'
import Type, { type Static } from '../../schema/type.ts'
import { ROLES, RoleName } from './roles.ts'
import { pageOf } from '../paging.ts'

// Users, memberships, invitations, sessions and tokens of the admin listener.

export const MIN_PASSWORD_CHARS = 12
export const MAX_PASSWORD_CHARS = 200

const role = RoleName('The role.')
const email = Type.String({ minLength: 3, maxLength: 254, description: 'The e-mail address.' })
const name = Type.String({ minLength: 1, maxLength: 200, description: 'A name for people.' })
const password = Type.String({
  minLength: MIN_PASSWORD_CHARS,
  maxLength: MAX_PASSWORD_CHARS,
  description: `The password, of at least ${MIN_PASSWORD_CHARS} characters.`,
})
const project = Type.String({ minLength: 1, maxLength: 200 })
const inOrganization = optional(
  Type.String({ minLength: 1, maxLength: 200 }),
  'The id of the organization. That of the project if absent, or your own.',
)
const onProject = optional(project, 'The id of the project that the role is for. The whole organization if absent.')
const token = Type.String({ minLength: 1, maxLength: 200, description: 'The token of the link, behind its `#`.' })
const secretToken = (about: string) => Type.String({ description: `${about} It is shown here only.` })
const closed = (title: string, description: string) => ({ title, description, additionalProperties: false })

const memberships = Type.Array(
  Type.Object({
    organization: Type.String({ description: 'The organization. `*` for all of them, which only admin keys have.' }),
    project: nullable(Type.String(), 'The project. Null for the whole organization.'),
    role,
  }),
  { description: 'The roles, and where they are held.' },
)

export const SetupRequest = Type.Object(
  { token, email, name, password },
  closed('SetupRequest', 'The first owner of the installation.'),
)
export type SetupRequest = Static<typeof SetupRequest>

/** A password that is too short was never set, so it is no reason to answer differently. */
export const SignInRequest = Type.Object(
  {
    email: Type.String({ minLength: 1, maxLength: 254, description: 'The e-mail address.' }),
    password: Type.String({ minLength: 1, maxLength: MAX_PASSWORD_CHARS, description: 'The password.' }),
  },
  closed('SignInRequest', 'Who signs in.'),
)
export type SignInRequest = Static<typeof SignInRequest>

export const Me = Type.Object(
  {
    kind: words(['admin_key', 'user', 'service'], { description: 'Who is asking.' }),
    id: Type.String({ description: 'The id of the user. `environment` for the admin key of the environment.' }),
    name: Type.String({ description: 'The e-mail address or the name.' }),
    memberships,
    permissions: Type.Array(
      Type.Object({
        permission: Type.String({ description: 'What may be done, as in docs/people.md.' }),
        all: Type.Boolean({ description: 'Everywhere.' }),
        organizations: Type.Array(Type.String(), { description: 'Otherwise: with everything of these organizations.' }),
        projects: Type.Array(Type.String(), { description: 'Otherwise: with everything of these projects.' }),
        own: Type.Boolean({ description: 'Otherwise: with own things.' }),
      }),
      { description: 'What the asker may do.' },
    ),
    session: nullable(Type.String(), 'The id of the session. Null for a key or a token.'),
  },
  { title: 'Me', description: 'Who is asking, and what they may do.' },
)
export type Me = Static<typeof Me>

export const ChangeMeRequest = Type.Object(
  {
    name: Type.Optional(name),
    password: Type.Optional(password),
    current_password: Type.Optional(
      Type.String({ minLength: 1, maxLength: MAX_PASSWORD_CHARS, description: 'Needed to change the password.' }),
    ),
  },
  closed('ChangeMeRequest', 'What to change of your own account.'),
)
export type ChangeMeRequest = Static<typeof ChangeMeRequest>

const Session = Type.Object(
  {
    id: uuid('Identifies the session. It is not the token.'),
    via: Type.String({ description: 'How the person signed in.' }),
    ip: nullable(Type.String(), 'The address that it was opened from.'),
    agent: nullable(Type.String(), 'The browser that it was opened with.'),
    created_at: timestamp('When it was opened.'),
    expires_at: timestamp('When it ends in any case.'),
    idle_at: timestamp('When it ends if it is not used before.'),
    current: Type.Boolean({ description: 'Whether this request belongs to it.' }),
  },
  { title: 'Session', description: 'A session of a person who has signed in.' },
)
export const SessionList = pageOf(Session, { title: 'SessionList', description: 'Sessions of the asker.' })
export type SessionList = Static<typeof SessionList>

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

const tokenFields = {
  id: uuid('Identifies the token. It is not the secret.'),
  name,
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
  { name, expires_at: optional(moment, 'When the token expires. Never if absent.') },
  closed('CreateTokenRequest', 'A token for a service account. It has the roles of the account.'),
)
export type CreateTokenRequest = Static<typeof CreateTokenRequest>

export const Member = Type.Object(
  {
    id: uuid('Identifies the membership.'),
    user: Type.String({ description: 'The id of the user.' }),
    organization: Type.String({ description: 'The organization.' }),
    project: nullable(Type.String(), 'The project. Null for the whole organization.'),
    role,
    source: words(['manual', 'sso'], { description: 'Who rules it: people, or an identity provider.' }),
    created_at: timestamp('When it began.'),
  },
  { title: 'Member', description: 'A role of a user on the organization or a project.' },
)
export type Member = Static<typeof Member>
export const MemberList = pageOf(Member, { title: 'MemberList', description: 'Memberships, newest first.' })
export type MemberList = Static<typeof MemberList>

export const CreateMemberRequest = Type.Object(
  { user: uuid('The id of the user.'), role, organization: inOrganization, project: onProject },
  closed('CreateMemberRequest', 'A role to give to a user.'),
)
export type CreateMemberRequest = Static<typeof CreateMemberRequest>

export const ChangeMemberRequest = Type.Object({ role }, closed('ChangeMemberRequest', 'The new role.'))
export type ChangeMemberRequest = Static<typeof ChangeMemberRequest>

const invitationFields = {
  id: uuid('Identifies the invitation. It is not the token.'),
  email: Type.String({ description: 'Who is invited.' }),
  role,
  organization: Type.String({ description: 'The organization.' }),
  project: nullable(Type.String(), 'The project. Null for the whole organization.'),
  invited_by: Type.String({ description: 'Who has invited.' }),
  created_at: timestamp('When it was made.'),
  expires_at: timestamp('Until when it can be used.'),
  used_at: nullable(moment, 'When it was used. It can be used once.'),
}
export const Invitation = Type.Object(invitationFields, { title: 'Invitation', description: 'An invitation.' })
export type Invitation = Static<typeof Invitation>
export const CreatedInvitation = Type.Object(
  {
    ...invitationFields,
    token: secretToken('The token of the link.'),
    url: Type.String({ description: 'The link to send to the person. It is shown here only.' }),
  },
  { title: 'CreatedInvitation', description: 'An invitation with its link.' },
)
export type CreatedInvitation = Static<typeof CreatedInvitation>
export const InvitationList = pageOf(Invitation, { title: 'InvitationList', description: 'Invitations, newest first.' })
export type InvitationList = Static<typeof InvitationList>

export const AccountLink = Type.Object(
  {
    user: uuid('The user.'),
    email: Type.String({ description: 'Whom to send it to.' }),
    expires_at: timestamp('Until when it can be used.'),
    token: secretToken('The token of the link.'),
    url: Type.String({ description: 'The link to send to the person. It is shown here only.' }),
  },
  { title: 'AccountLink', description: 'A link with which a person sets the first password of an account.' },
)
export type AccountLink = Static<typeof AccountLink>

export const CreateInvitationRequest = Type.Object(
  {
    email,
    role,
    organization: inOrganization,
    project: onProject,
    expires_in_hours: optional(Type.Integer({ minimum: 1, maximum: 720 }), 'How long it can be used.', { default: 72 }),
  },
  closed('CreateInvitationRequest', 'Who to invite.'),
)
export type CreateInvitationRequest = Static<typeof CreateInvitationRequest>

export const AcceptInvitationRequest = Type.Object(
  { token, name: Type.Optional(name), password: Type.Optional(password) },
  closed('AcceptInvitationRequest', 'A new user sets a name and a password. Whoever has an account signs in first.'),
)
export type AcceptInvitationRequest = Static<typeof AcceptInvitationRequest>
