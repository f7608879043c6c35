import { closed, moment, nullable, optional, uuid, words } from '../../base/schema/fields.ts'
import Type, { type Static } from '../../base/schema/type.ts'
import { pageOf } from '../paging.ts'

const MAX_SECRET_CHARS = 8_192

const name = Type.String({ minLength: 1, maxLength: 100, description: 'The name that targets are bound to.' })
const weight = Type.Integer({ minimum: 1, maximum: 1_000 })
const secret = Type.String({
  minLength: 1,
  maxLength: MAX_SECRET_CHARS,
  description:
    'The key. For `amazon` also `ID:SECRET` or JSON with `AccessKeyId` and `SecretAccessKey`; for `vertex` the JSON of an account. ' +
    'It is stored encrypted and never shown.',
})

export const CreateCredentialRequest = Type.Object(
  {
    provider: Type.String({
      minLength: 1,
      maxLength: 100,
      description: 'The provider: the first part of model names.',
    }),
    name,
    secret,
    weight: optional(weight, 'Its share of the calls.', { default: 1 }),
  },
  { title: 'CreateCredentialRequest', description: 'A credential to store.', ...closed },
)
export type CreateCredentialRequest = Static<typeof CreateCredentialRequest>

export const ChangeCredentialRequest = Type.Object(
  {
    name: Type.Optional(name),
    secret: Type.Optional(secret),
    weight: Type.Optional({ ...weight, description: 'Its share of the calls.' }),
  },
  { title: 'ChangeCredentialRequest', description: 'Only what is named changes.', ...closed },
)
export type ChangeCredentialRequest = Static<typeof ChangeCredentialRequest>

export const NamedCredential = Type.Object(
  {
    id: nullable(uuid('Identifies a stored credential.'), 'The id of a stored credential. Null for all others.'),
    provider: Type.String({ description: 'The provider.' }),
    name: Type.String({ description: 'The name that targets are bound to.' }),
    weight: Type.Integer({ minimum: 1, description: 'Its share of the calls.' }),
    owned_by: words(['api', 'environment', 'file', 'identity'], {
      description: 'Where it comes from: this API, a variable, a file, or the identity of the machine.',
    }),
    source: nullable(Type.String(), 'The variable or the file that holds it.'),
    ends_with: nullable(Type.String(), 'Its last four characters. Null if it is too short to show some of it.'),
    active: Type.Boolean({
      description: 'Whether calls use it. False if its provider is gone, or another one has its name.',
    }),
    created_at: nullable(moment, 'When it was stored.'),
    updated_at: nullable(moment, 'When it was last changed.'),
  },
  { title: 'NamedCredential', description: 'A credential, without its secret.' },
)
export type NamedCredential = Static<typeof NamedCredential>

export const CredentialList = pageOf(NamedCredential, {
  title: 'CredentialList',
  description: 'Credentials, page by page.',
  items: 'The credentials, by provider and name.',
})
export type CredentialList = Static<typeof CredentialList>
