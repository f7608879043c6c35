import type { TSchema } from '../../schema/type.ts'
import { validator } from '../../schema/validator.ts'
import { UsageError } from '../usage-error.ts'

/** The flag for each field of the admin API. The flags of other fields have the name of the field. */
const FLAGS: Readonly<Record<string, string>> = {
  scopes: '--scope',
  expires_at: '--expires-at',
  allowed_ips: '--allow-ip',
}

/** Checks what the flags ask for as the admin API would. */
export function checkFields(schema: TSchema, fields: object): void {
  const { check, issues } = validator(schema)
  if (check(fields)) return
  const lines = issues(fields, []).map(({ loc: [field], msg }) => `${flagOf(field)}: ${msg}`)
  throw new UsageError([...new Set(lines)].join('; '))
}

export function flagOf(field: unknown): string {
  return FLAGS[String(field)] ?? `--${field}`
}
