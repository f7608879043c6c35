import Type from '../contract/type.ts'
import { mapOf } from '../contract/fields.ts'
import { validator } from '../contract/validator.ts'
import { ConfigError } from './config-error.ts'

/** Credentials by provider, each named by the variable that holds it: `{ "openai": [{ "env": "OPENAI_KEY_A", "weight": 3 }] }`. */
export type CredentialSettings = Record<string, { env: string; weight?: number | undefined }[]>

const Listed = Type.Object(
  { env: Type.String({ minLength: 1 }), weight: Type.Optional(Type.Integer({ minimum: 1, maximum: 1_000 })) },
  { additionalProperties: false },
)
const settings = validator(mapOf(Type.Array(Listed, { minItems: 1 })))

export function readCredentialSettings(given: unknown): CredentialSettings {
  if (given === undefined) return {}
  if (settings.check(given)) return given as CredentialSettings
  const faults = settings.faults(given, ['credentials']).map(({ loc, msg }) => `${loc.join('.')}: ${msg}`)
  throw new ConfigError(faults.join('; '))
}
