import Type from '../schema/type.ts'
import { mapOf } from '../schema/fields.ts'
import { checkSection } from './section.ts'

/** Credentials by provider, each named by the variable that holds it: `{ "openai": [{ "env": "OPENAI_KEY_A", "weight": 3 }] }`. */
export type CredentialSettings = Record<string, { env: string; weight?: number | undefined }[]>

const Listed = Type.Object(
  { env: Type.String({ minLength: 1 }), weight: Type.Optional(Type.Integer({ minimum: 1, maximum: 1_000 })) },
  { additionalProperties: false },
)
const Section = mapOf(Type.Array(Listed, { minItems: 1 }))

export function readCredentialSettings(value: unknown): CredentialSettings {
  if (value === undefined) return {}
  checkSection('credentials', Section, value)
  return value as CredentialSettings
}
