import { nullable, optional } from '../../base/schema/fields.ts'
import Type from '../../base/schema/type.ts'
import { RoleName } from './roles.ts'

// Fields that requests and answers about people have in common.

export const MIN_PASSWORD_CHARS = 12
export const MAX_PASSWORD_CHARS = 200

export const role = RoleName('The role.')
export const email = Type.String({ minLength: 3, maxLength: 254, description: 'The e-mail address.' })
export const name = Type.String({ minLength: 1, maxLength: 200, description: 'A name for people.' })
export const password = Type.String({
  minLength: MIN_PASSWORD_CHARS,
  maxLength: MAX_PASSWORD_CHARS,
  description: `The password, of at least ${MIN_PASSWORD_CHARS} characters.`,
})
const project = Type.String({ minLength: 1, maxLength: 200 })
export const inOrganization = optional(
  Type.String({ minLength: 1, maxLength: 200 }),
  'The id of the organization. That of the project if absent, or your own.',
)
export const onProject = optional(
  project,
  'The id of the project that the role is for. The whole organization if absent.',
)
export const token = Type.String({
  minLength: 1,
  maxLength: 200,
  description: 'The token of the link, behind its `#`.',
})
export const secretToken = (about: string) => Type.String({ description: `${about} It is shown here only.` })
export const closed = (title: string, description: string) => ({ title, description, additionalProperties: false })

export const memberships = Type.Array(
  Type.Object({
    organization: Type.String({ description: 'The organization. `*` for all of them, which only admin keys have.' }),
    project: nullable(Type.String(), 'The project. Null for the whole organization.'),
    role,
  }),
  { description: 'The roles, and where they are held.' },
)
