import { mapOf } from '../../../base/schema/fields.ts'
import Type, { type Static } from '../../../base/schema/type.ts'
import { ConfigError } from '../config-error.ts'
import { checkSection } from '../section.ts'

/** The longest name of a credential. */
const MAX_NAME_CHARS = 100
const MAX_WEIGHT = 1_000

const text = Type.String({ minLength: 1 })
const Listed = Type.Object(
  {
    name: Type.Optional(Type.String({ minLength: 1, maxLength: MAX_NAME_CHARS })),
    env: Type.Optional(text),
    file: Type.Optional(text),
    identity: Type.Optional(Type.Literal('machine')),
    weight: Type.Optional(Type.Integer({ minimum: 1, maximum: MAX_WEIGHT })),
  },
  { additionalProperties: false },
)
const Settings = mapOf(Type.Array(Listed, { minItems: 1 }))

/** A credential of the config file: the variable or the file that holds it, or the identity of the machine. */
export type ListedCredential = Static<typeof Listed>

/** Credentials by provider: `{ "openai": [{ "name": "team-a", "env": "OPENAI_KEY_A", "weight": 3 }] }`. */
export type CredentialSettings = Record<string, ListedCredential[]>

export function readCredentialSettings(value: unknown): CredentialSettings {
  if (value === undefined) return {}
  checkSection('credentials', Settings, value)
  const listed = value as CredentialSettings
  for (const [provider, list] of Object.entries(listed)) checkList(provider, list)
  return listed
}

function checkList(provider: string, list: readonly ListedCredential[]): void {
  const names = new Set<string>()
  for (const [index, entry] of list.entries()) {
    const path = `credentials.${provider}.${index}`
    const sources = [entry.env, entry.file, entry.identity].filter((source) => source !== undefined)
    if (sources.length !== 1) throw new ConfigError(`${path}: should have one of env, file and identity`)
    const name = nameOfListed(entry)
    if (names.has(name)) throw new ConfigError(`${path}.name: another credential of ${provider} has the same name`)
    names.add(name)
  }
}

/** A credential without a name is called like its variable, its file or its identity. */
export function nameOfListed({ name, env, file, identity }: ListedCredential): string {
  return name ?? env ?? file ?? identity!
}
