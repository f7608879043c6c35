import { moment, nullable, timestamp, uuid } from '../../base/schema/fields.ts'
import Type, { type Static } from '../../base/schema/type.ts'
import { pageOf } from '../paging.ts'

export const SignInOptions = Type.Object(
  {
    password: Type.Boolean({ description: 'Whether passwords are accepted.' }),
    providers: Type.Array(
      Type.Object(
        {
          name: Type.String({ description: 'The name in the config file.' }),
          title: Type.String({ description: 'What a button should say.' }),
          url: Type.String({ description: 'Where the browser has to go.' }),
        },
        { title: 'SignInProvider', description: 'A provider that people can sign in with.' },
      ),
      { description: 'The providers of `auth.oidc`, in the order of the config file.' },
    ),
  },
  { title: 'SignInOptions', description: 'How people can sign in.' },
)
export type SignInOptions = Static<typeof SignInOptions>

export const IdentityLinkBody = Type.Object(
  {
    id: uuid('Identifies the entry.'),
    issuer: Type.String({ description: 'The provider.' }),
    subject: Type.String({ description: 'Who it is there.' }),
    email: Type.String({
      description: 'The e-mail address that the provider states without saying that it was verified.',
    }),
    name: Type.String({ description: 'The name that the provider states.' }),
    created_at: timestamp('When the first sign-in with this identity was tried.'),
    confirmed_at: nullable(moment, 'When it was confirmed. Null if it waits.'),
  },
  {
    title: 'IdentityLink',
    description:
      'An identity that has signed in with an unverified address, which an account or an invitation here has too.',
  },
)
export type IdentityLinkBody = Static<typeof IdentityLinkBody>

export const IdentityLinkList = pageOf(IdentityLinkBody, {
  title: 'IdentityLinkList',
  description: 'Identities that wait for an admin.',
  items: 'This page, newest first.',
})
export type IdentityLinkList = Static<typeof IdentityLinkList>

/** A form of OpenID Connect Back-Channel Logout. */
export const LogoutForm = Type.Object(
  { logout_token: Type.String({ description: 'A signed token that says whose sessions end.' }) },
  { title: 'LogoutForm', description: 'What a provider sends when a person signs out there.' },
)
