import { closed, freeObject, mapOf } from '../../../base/schema/fields.ts'
import Type from '../../../base/schema/type.ts'
import { validator } from '../../../base/schema/validator.ts'
import { ConfigError } from '../config-error.ts'
import type { ConfigSource } from '../config-source.ts'
import { TimeoutEntry } from '../timeouts.ts'
import type { Provider } from '../provider-settings.ts'
import { checkSection } from '../section.ts'
import type { Alias, Aliases } from './alias.ts'
import { aliasFaults } from './alias-faults.ts'
import { defaultFaults } from './default-faults.ts'
import { MAX_ALIASES, MAX_FALLBACKS, MAX_NAME_CHARS, MAX_RETRIES, MAX_TARGETS, MAX_WEIGHT } from './alias-limits.ts'

const text = Type.Optional(Type.String({ minLength: 1, maxLength: 2_000 }))
const name = Type.String({ minLength: 1, maxLength: MAX_NAME_CHARS })
const Target = Type.Object(
  {
    model: name,
    weight: Type.Optional(Type.Integer({ minimum: 1, maximum: MAX_WEIGHT })),
    credential: text,
    baseUrl: text,
    region: text,
    project: text,
    deployment: text,
    apiVersion: text,
  },
  closed,
)
const AliasEntry = Type.Object(
  {
    targets: Type.Array(Target, { minItems: 1, maxItems: MAX_TARGETS }),
    fallbacks: Type.Optional(Type.Array(name, { maxItems: MAX_FALLBACKS })),
    retries: Type.Optional(Type.Integer({ minimum: 0, maximum: MAX_RETRIES })),
    timeouts: Type.Optional(TimeoutEntry),
    defaults: Type.Optional(freeObject()),
    hidden: Type.Optional(Type.Boolean()),
  },
  closed,
)
const Settings = mapOf(AliasEntry)
const entry = validator(AliasEntry)

/** Reads `aliases` of the config file. Every fault is reported with its path. */
export function readAliases(value: unknown, providers: Record<string, Provider>, source: ConfigSource): Aliases {
  if (value === undefined) return {}
  checkSection('aliases', Settings, value)
  const aliases = value as Aliases
  const names = Object.keys(aliases)
  if (names.length > MAX_ALIASES) throw new ConfigError(`aliases: should be ${MAX_ALIASES} at most`)
  const faults = names.flatMap((one) => {
    const found = aliasFaults(one, aliases[one]!, providers, source)
    return found.map(({ path, msg }) => ({ loc: ['aliases', one, ...path], msg }))
  })
  if (faults.length > 0) throw faulty(faults)
  return aliases
}

/**
 * Reads an alias of the store. It was checked when it was stored, but maybe by other rules, or it was changed directly in the
 * database. One that is not valid has no targets, and a sentence that names the field.
 */
export function storedAlias(value: unknown): Alias {
  const shape = entry.check(value) ? [] : entry.issues(value, []).map(({ loc, msg }) => ({ path: loc, msg }))
  const faults = shape.length > 0 ? shape : defaultFaults((value as Alias).defaults ?? {})
  if (faults.length === 0) return value as Alias
  const fault = faults.map(({ path, msg }) => `${path.join('.') || 'the alias'}: ${msg}`).join('; ')
  return { targets: [], fault }
}

function faulty(faults: readonly { loc: readonly (string | number)[]; msg: string }[]): ConfigError {
  return new ConfigError(faults.map(({ loc, msg }) => `${loc.join('.')}: ${msg}`).join('; '))
}
