import type { NamedAlias } from '../../platform/config/aliases/alias-table.ts'
import { shownValue } from '../../platform/config/report/shown-values.ts'
import type { Alias, AliasTarget } from '../../platform/config/aliases/alias.ts'
import type { Timeouts } from '../../platform/config/timeouts.ts'
import type { AliasBody, ChangeAliasRequest } from '../../contract/admin/aliases.ts'
import { maskUrls } from '../../base/redaction/mask-urls.ts'
import { isRecord } from '../../base/schema/record.ts'

// Bodies have members in snake_case, and the config file in camelCase. They are the same otherwise. An alias in the store may
// not be valid any more: it is shown as far as it can be read, so that it can be found and deleted.

type TargetBody = AliasBody['targets'][number]
type TimeoutsBody = NonNullable<AliasBody['timeouts']>

const TARGET = pairsOf<AliasTarget, TargetBody>()({
  model: 'model',
  weight: 'weight',
  credential: 'credential',
  baseUrl: 'base_url',
  apiVersion: 'api_version',
  region: 'region',
  project: 'project',
  deployment: 'deployment',
})
const TIMEOUTS = pairsOf<Timeouts, TimeoutsBody>()({
  connectMs: 'connect_ms',
  headersMs: 'headers_ms',
  firstTokenMs: 'first_token_ms',
  idleMs: 'idle_ms',
  totalMs: 'total_ms',
})

/** When an alias of the store was made and changed. */
type AliasTimes = { createdAt: number; updatedAt: number }

export function bodyOfAlias({ name, alias, ownedBy }: NamedAlias, times: AliasTimes | undefined): AliasBody {
  const { targets, timeouts, defaults, fallbacks, retries, hidden } = alias
  return {
    name,
    owned_by: ownedBy,
    targets: Array.isArray(targets) ? targets.map(targetShown) : [],
    ...(Array.isArray(fallbacks) && { fallbacks }),
    ...(retries !== undefined && { retries }),
    ...(hidden !== undefined && { hidden }),
    ...(defaults && { defaults: ownedBy === 'file' ? defaultsShown(defaults) : defaults }),
    ...(timeouts && { timeouts: TIMEOUTS.toBody(timeouts) }),
    created_at: times ? new Date(times.createdAt).toISOString() : null,
    updated_at: times ? new Date(times.updatedAt).toISOString() : null,
  }
}

/** An address in the config file may contain a secret. */
function targetShown(target: AliasTarget): TargetBody {
  const body = TARGET.toBody(target)
  return typeof body.base_url === 'string' ? { ...body, base_url: maskUrls(body.base_url) } : body
}

function defaultsShown(defaults: NonNullable<Alias['defaults']>): Record<string, unknown> {
  const shown = shownValue(['defaults'], defaults)
  return isRecord(shown) ? shown : {}
}

/** The settings of a body, with those of `before` that it does not name. Null removes a setting. */
export function aliasOfBody({ targets, timeouts, ...rest }: ChangeAliasRequest, before?: Alias): Alias {
  const named = {
    ...(targets && { targets: targets.map((target) => withoutNulls(TARGET.fromBody(target))) }),
    ...(timeouts !== undefined && { timeouts: timeouts && withoutNulls(TIMEOUTS.fromBody(timeouts)) }),
    ...rest,
  }
  return withoutNulls({ ...before, ...named }) as Alias
}

/** The names of members in the code and in bodies, as pairs. A member of either side that has no pair does not compile. */
function pairsOf<Own, Body>() {
  return <const Names extends Record<keyof Own, keyof Body & string>>(
    names: Names & (Exclude<keyof Body, Names[keyof Own]> extends never ? unknown : never),
  ) => {
    const back = Object.fromEntries(Object.entries<string>(names).map(([own, body]) => [body, own]))
    return {
      toBody: (value: Partial<Own>) => renamed(value, names) as Body,
      fromBody: (value: Body) => renamed(value, back) as Partial<Own>,
    }
  }
}

function renamed(value: unknown, names: Readonly<Record<string, string>>): unknown {
  if (!isRecord(value)) return value
  return Object.fromEntries(Object.entries(value).map(([name, member]) => [names[name] ?? name, member]))
}

function withoutNulls(value: unknown): Record<string, unknown> {
  return isRecord(value) ? Object.fromEntries(Object.entries(value).filter(([, member]) => member !== null)) : {}
}
