import { nearestName } from '../../base/schema/nearest-name.ts'
import type { TSchema } from '../../base/schema/type.ts'
import { validator } from '../../base/schema/validator.ts'
import { flagProblem } from '../flag-problem.ts'
import type { Terminal } from '../terminal.ts'
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
  const lines = issues(fields, []).map((issue) => flagProblem(flagOf(issue.loc[0]), issue))
  throw new UsageError([...new Set(lines)].join('; '))
}

export function flagOf(field: unknown): string {
  return FLAGS[String(field)] ?? `--${field}`
}

/** A scope may also name aliases, and providers that are set up later: so this is no refusal. */
export function remarkOnScopes(scopes: readonly string[] | undefined, providers: object, { remark }: Terminal): void {
  for (const scope of scopes ?? []) {
    const [, provider = '', rest] = /^model:([^/*]+)\/(.*)$/.exec(scope) ?? []
    const nearest = Object.hasOwn(providers, provider) ? undefined : nearestName(provider, Object.keys(providers))
    if (nearest === undefined) continue
    remark(`Warning: there is no provider '${provider}' here. Did you mean --scope model:${nearest}/${rest}?\n`)
  }
}

type Typed = [flag: string, value: string | string[] | boolean | undefined]

/** One flag sets a field, the other one clears it. */
export function change(field: string, [setFlag, value]: Typed, [clearFlag, isCleared]: Typed): Record<string, unknown> {
  if (value !== undefined && isCleared) throw new UsageError(`Use either ${setFlag} or ${clearFlag}.`)
  if (isCleared) return { [field]: null }
  return value === undefined ? {} : { [field]: value }
}

type AssignmentFlags = { project?: string | undefined; user?: string | undefined; 'no-user'?: boolean | undefined }

/** Where a key belongs from now on, as far as flags say so. */
export function assignmentIn({ project, user, 'no-user': noUser }: AssignmentFlags): Record<string, unknown> {
  return {
    ...(project !== undefined && { project }),
    ...change('user', ['--user', user], ['--no-user', noUser]),
  }
}
