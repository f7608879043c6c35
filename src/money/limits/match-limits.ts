import { type Caller, covers } from '../../tenants/access/caller.ts'
import { type Holder, type Limit, type Unit, type Window, WINDOWS } from '../../platform/config/spend-limits/limit.ts'

// Which limits apply to a call. All that apply have to have room; none replaces another.

/** Whose call it is. */
export type LimitedCaller = Pick<Caller, 'organization' | 'project' | 'user' | 'keyId'>

/** What a limit may look at. */
export type LimitedCall = {
  readonly caller: LimitedCaller
  readonly endpoint: string
  labels: {
    readonly endUser: string | null
    readonly session: string | null
    readonly tags: Readonly<Record<string, string>> | null
  }
}

export type LimitedTarget = { id: string; provider: { id: string } }

const WIDTHS: Record<Holder, number> = { all: 0, organization: 1, project: 2, user: 3, key: 4, end_user: 5 }

/** Limits by the holder that they apply to. Of several that are exhausted, the first one is named: budgets come first, then the widest. */
export class LimitIndex {
  readonly all: readonly Limit[]
  readonly #byHolder = new Map<string, Limit[]>()
  readonly #ofCallers = new WeakMap<LimitedCaller, readonly Limit[]>()

  constructor(limits: readonly Limit[]) {
    this.all = [...limits].sort(byRank)
    for (const limit of this.all) {
      const name = holderName(limit.appliesTo.holder, limit.appliesTo.id)
      this.#byHolder.set(name, [...(this.#byHolder.get(name) ?? []), limit])
    }
  }

  /** The limits of a call, including those that concern only some of its targets. */
  limitsOf(call: LimitedCall): readonly Limit[] {
    if (this.all.length === 0) return NONE
    const ofCaller = this.limitsOfCaller(call.caller)
    const { endUser } = call.labels
    const ofEndUser = endUser === null ? undefined : this.#byHolder.get(holderName('end_user', endUser))
    const found = ofEndUser ? [...ofCaller, ...ofEndUser].sort(byRank) : ofCaller
    return found.every((limit) => !limit.endpoints && !limit.tags) ? found : found.filter((one) => concerns(one, call))
  }

  /** Also those of some endpoints and tags only. Callers are the same objects as long as their key does not change. */
  limitsOfCaller(caller: LimitedCaller): readonly Limit[] {
    const cached = this.#ofCallers.get(caller)
    if (cached) return cached
    const { organization, project, user, keyId } = caller
    const names = [
      ...[holderName('all', null), holderName('organization', organization), holderName('project', project)],
      ...[holderName('user', user), holderName('key', keyId)],
    ]
    const found = names.flatMap((name) => this.#byHolder.get(name) ?? []).sort(byRank)
    this.#ofCallers.set(caller, found)
    return found
  }
}

/** Whether a call is one of the holder of a limit: of all callers, a project, a key … */
export function isHolder(
  { appliesTo: { holder, id } }: Pick<Limit, 'appliesTo'>,
  { caller, labels }: LimitedCall,
): boolean {
  const { organization, project, user, keyId } = caller
  const ids = { all: null, organization, project, user, key: keyId, end_user: labels.endUser }
  return ids[holder] === id
}

const NONE: readonly Limit[] = []

function holderName(holder: Holder, id: string | null): string {
  return `${holder}:${id ?? ''}`
}

function byRank(one: Limit, other: Limit): number {
  const money = rankOf(one.unit) - rankOf(other.unit)
  const width = WIDTHS[one.appliesTo.holder] - WIDTHS[other.appliesTo.holder]
  return money || width || lengthOf(other.window) - lengthOf(one.window) || (one.id < other.id ? -1 : 1)
}

/** No time helps with money, so it is named before a rate that the caller could wait for. */
function rankOf(unit: Unit): number {
  return unit === 'usd' ? 0 : 1
}

const BY_LENGTH: readonly string[] = WINDOWS

/** Sessions are the shortest. */
function lengthOf(window: Window): number {
  return BY_LENGTH.indexOf(window)
}

/** Whether a limit is about the endpoint and the tags of a call. */
export function concerns({ endpoints, tags }: Limit, { endpoint, labels }: LimitedCall): boolean {
  if (endpoints && !endpoints.includes(endpoint)) return false
  return !tags || Object.entries(tags).every(([name, value]) => labels.tags?.[name] === value)
}

/** Whether a limit is about this target. */
export function concernsTarget({ models, providers }: Limit, { id, provider }: LimitedTarget): boolean {
  if (providers && !providers.includes(provider.id)) return false
  return !models || models.some((pattern) => covers(pattern, id))
}

/** Whose share of a limit a call uses. Calls that do not name an end user share one bucket, so no call evades the limit. */
export function bucketOf({ per }: Limit, { caller, labels }: LimitedCall): string {
  if (per === 'key') return caller.keyId
  if (per === 'user') return caller.user ?? ''
  if (per === 'session') return sessionBucket(caller.keyId, labels.session)
  return per === 'end_user' ? (labels.endUser ?? '') : ''
}

/**
 * A session belongs to its key, so that no caller can use up the session of another. Calls without a session share one bucket of
 * their key, and so do calls of more sessions than a limit counts apart.
 */
export function sessionBucket(key: string, session: string | null): string {
  return `${key} ${session ?? ''}`
}
