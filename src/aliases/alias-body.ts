import type { NamedAlias } from '../config/aliases/alias-table.ts'
import { shownValue } from '../config/report/shown-values.ts'
import type { Alias } from '../config/aliases/alias.ts'
import type { AliasBody, ChangeAliasRequest } from '../contract/admin/aliases.ts'
import { maskUrls } from '../redaction/mask-urls.ts'
import { isRecord } from '../schema/record.ts'

// Bodies have members in snake_case, and the config file in camelCase. They are the same otherwise.

const CAMEL_NAMES = {
  ...{ base_url: 'baseUrl', api_version: 'apiVersion' },
  ...{
    connect_ms: 'connectMs',
    headers_ms: 'headersMs',
    first_token_ms: 'firstTokenMs',
    idle_ms: 'idleMs',
    total_ms: 'totalMs',
  },
} as const
const SNAKE_NAMES = Object.fromEntries(Object.entries(CAMEL_NAMES).map(([snake, camel]) => [camel, snake]))

/** When an alias of the store was made and changed. */
type AliasTimes = { createdAt: number; updatedAt: number }

export function bodyOfAlias({ name, alias, ownedBy }: NamedAlias, times: AliasTimes | undefined): AliasBody {
  const { targets, timeouts, defaults, ...rest } = alias
  return {
    name,
    owned_by: ownedBy,
    targets: targetsShown(targets),
    ...rest,
    ...(defaults && { defaults: ownedBy === 'file' ? shownValue(['defaults'], defaults) : defaults }),
    ...(timeouts && { timeouts: isRecord(timeouts) ? renamed(timeouts, SNAKE_NAMES) : timeouts }),
    created_at: times ? new Date(times.createdAt).toISOString() : null,
    updated_at: times ? new Date(times.updatedAt).toISOString() : null,
  } as AliasBody
}

/** One in the store that is not valid any more is shown as it is, so that it can be found and deleted. */
function targetsShown(targets: unknown): unknown {
  if (!Array.isArray(targets)) return targets
  return targets.map((target) => (isRecord(target) ? shown(renamed(target, SNAKE_NAMES)) : target))
}

/** The settings of a body, with those of `before` that it does not name. Null removes a setting. */
export function aliasOfBody({ targets, timeouts, ...rest }: ChangeAliasRequest, before?: Alias): Alias {
  const named = {
    ...(targets && { targets: targets.map((target) => withoutNulls(renamed(target, CAMEL_NAMES))) }),
    ...(timeouts !== undefined && { timeouts: timeouts && withoutNulls(renamed(timeouts, CAMEL_NAMES)) }),
    ...rest,
  }
  return withoutNulls({ ...before, ...named }) as Alias
}

/** An address in the config file may contain a secret. */
function shown(target: Record<string, unknown>): Record<string, unknown> {
  return typeof target.base_url === 'string' ? { ...target, base_url: maskUrls(target.base_url) } : target
}

function renamed(value: object, names: Readonly<Record<string, string>>): Record<string, unknown> {
  return Object.fromEntries(Object.entries(value).map(([name, member]) => [names[name] ?? name, member]))
}

function withoutNulls(value: unknown): Record<string, unknown> {
  return isRecord(value) ? Object.fromEntries(Object.entries(value).filter(([, member]) => member !== null)) : {}
}
