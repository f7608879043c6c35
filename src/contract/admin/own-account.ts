import { nullable, timestamp, uuid, words } from '../../base/schema/fields.ts'
import Type, { type Static } from '../../base/schema/type.ts'
import { pageOf } from '../paging.ts'
import { closed, email, MAX_PASSWORD_CHARS, memberships, name, password, token } from './person-fields.ts'

// The first owner, sign-in, sessions and the account of the person who is signed in.

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
        permission: Type.String({ description: 'What may be done, as in docs/roles.md.' }),
        all: Type.Boolean({ description: 'Everywhere.' }),
        organizations: Type.Array(Type.String(), { description: 'Otherwise: with everything of these organizations.' }),
        projects: Type.Array(Type.String(), { description: 'Otherwise: with everything of these projects.' }),
        own: Type.Boolean({ description: 'Otherwise: with own things.' }),
      }),
      { description: 'What the asker may do.' },
    ),
    session: nullable(Type.String(), 'The id of the session. Null for a key or a token.'),
    account: nullable(
      Type.Object({
        name: Type.String({ description: 'The name of the person.' }),
        email: nullable(Type.String(), 'The e-mail address.'),
        has_password: Type.Boolean({ description: 'Whether the person can sign in with a password.' }),
      }),
      'The account of a person, which `PATCH /admin/me` changes. Null for all others.',
    ),
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

export const LinkIdentityRequest = Type.Object(
  {
    provider: Type.String({
      minLength: 1,
      maxLength: 100,
      description: 'The name of the provider in the config file.',
    }),
    current_password: Type.String({
      minLength: 1,
      maxLength: MAX_PASSWORD_CHARS,
      description: 'Your password, so that a stolen session cannot give your account to another person.',
    }),
  },
  closed('LinkIdentityRequest', 'A provider that you want to sign in with from now on.'),
)
export type LinkIdentityRequest = Static<typeof LinkIdentityRequest>

export const LinkIdentityAnswer = Type.Object(
  { url: Type.String({ description: 'Where to lead the browser: the page of the provider.' }) },
  { title: 'LinkIdentityAnswer', description: 'How to go on. It holds for ten minutes, in this browser.' },
)
export type LinkIdentityAnswer = Static<typeof LinkIdentityAnswer>

export const SignOutAnswer = Type.Object(
  {
    url: nullable(
      Type.String(),
      'Where to lead the browser: the provider ends its session and leads back. Null if there is nothing to end there.',
    ),
  },
  { title: 'SignOutAnswer', description: 'The session has ended.' },
)
export type SignOutAnswer = Static<typeof SignOutAnswer>

const Session = Type.Object(
  {
    id: uuid('Identifies the session. It is not the token.'),
    kind: words(['console', 'page', 'agent'], {
      description: 'In the console, on the page for the code of a coding agent, or of a coding agent.',
    }),
    project: nullable(Type.String(), 'The project in which a coding agent calls models.'),
    via: Type.String({ description: 'How the person signed in.' }),
    ip: nullable(Type.String(), 'The address that it was opened from.'),
    agent: nullable(Type.String(), 'The browser or the agent that it was opened with.'),
    created_at: timestamp('When it was opened.'),
    expires_at: timestamp('When it ends in any case.'),
    idle_at: timestamp('When it ends if it is not used before.'),
    current: Type.Boolean({ description: 'Whether this request belongs to it.' }),
  },
  { title: 'Session', description: 'A session of a person who has signed in.' },
)
export const SessionList = pageOf(Session, { title: 'SessionList', description: 'Sessions of the asker.' })
export type SessionList = Static<typeof SessionList>
