import type { Holder, Limit } from '../../platform/config/spend-limits/limit.ts'
import type { Actor } from '../../tenants/people/actor.ts'
import { INSTALLATION, may, type Owned, reachIn } from '../../tenants/people/may.ts'
import { notYours } from '../../tenants/people/people-services.ts'
import type { Database } from '../../platform/store/database.ts'
import { findHolderScopes, type ScopedHolder } from '../../platform/store/limits/holder-scopes.ts'

// To whom a limit belongs: a limit of a project or of one of its keys belongs to the project, a limit of an organization or of a
// user to the organization, and every other limit to the installation, also one for something that does not exist. Limits of
// the config file can be seen like the others, but only admins of the installation reset or release them.

// Only those who could have set a limit may change it. The owners of an organization cannot lift what the installation has set
// for it, the manager of a project cannot lift what the organization has set, and the holder of a key cannot lift what a
// manager has set. They can add a tighter limit beside it, and both hold.

/** With which rights a limit was set: on own keys, on a project, on the organization or on the installation. The strongest is last. */
const LIMIT_LEVELS = ['own', 'project', 'organization', 'installation'] as const
export type LimitLevel = (typeof LIMIT_LEVELS)[number]

type Asking = { db: Database; actor: Actor }
/** `setBy` is absent for a limit that is new. */
type Subject = Pick<Limit, 'appliesTo' | 'ownedBy'> & { setBy?: LimitLevel | undefined }

/** Those of these limits that the actor may see. */
export async function visibleLimits(limits: readonly Limit[], { db, actor }: Asking): Promise<readonly Limit[]> {
  const scopeOf = await scopesOf(limits, db)
  return limits.filter((limit) => isOfActor(limit, actor) || may(actor, 'limits.read', scopeOf(limit)))
}

const IN_ONE_PLACE: ReadonlySet<Holder> = new Set(['organization', 'project', 'key'])

/** Whether all calls that the limit counts are made where it belongs. Otherwise it may count some that the actor may not see. */
export function isInOneScope({ appliesTo: { holder } }: Pick<Limit, 'appliesTo'>): boolean {
  return IN_ONE_PLACE.has(holder)
}

/** Whether the actor may see everyone whose calls are counted. */
export async function seesEverybody({ db, actor }: Asking): Promise<boolean> {
  return (await reachIn(actor, 'limits.read', db)) === undefined
}

/**
 * Throws unless the actor may change all of these: what a limit was, and what it becomes. Returns with which rights the last one
 * is set.
 */
export async function demandChange(limits: readonly Subject[], { db, actor }: Asking): Promise<LimitLevel> {
  const scopeOf = await scopesOf(limits, db)
  let level: LimitLevel | undefined
  for (const limit of limits) {
    level = levelOf(actor, limit.ownedBy === 'file' ? INSTALLATION : scopeOf(limit))
    if (level === undefined) throw notYours(NOT_YOURS)
    if (isAbove(limit, level)) throw notYours(SET_ABOVE)
  }
  return level!
}

const NOT_YOURS = 'Your role only allows you to change limits of your organization, of your projects and of their keys.'
const SET_ABOVE =
  'This limit was set by a person whose role reaches further than yours. Add a tighter limit beside it: a call needs room in all limits.'

function levelOf(actor: Actor, scope: Owned): LimitLevel | undefined {
  if (may(actor, 'limits.write', { organization: scope.organization }))
    return may(actor, 'limits.write', INSTALLATION) ? 'installation' : 'organization'
  if (may(actor, 'limits.write', { ...scope, user: undefined })) return 'project'
  return may(actor, 'limits.write', scope) ? 'own' : undefined
}

function isAbove({ ownedBy, setBy }: Subject, level: LimitLevel): boolean {
  const setWith = ownedBy === 'file' ? 'installation' : (setBy ?? 'own')
  return LIMIT_LEVELS.indexOf(setWith) > LIMIT_LEVELS.indexOf(level)
}

async function scopesOf(limits: readonly Subject[], db: Database): Promise<(limit: Subject) => Owned> {
  const scopes = new Map<string, Owned>()
  for (const holder of PLACED)
    for (const scope of await findHolderScopes(db, holder, idsOf(limits, holder)))
      scopes.set(`${holder}:${scope.id}`, scope)
  return ({ appliesTo: { holder, id } }) => {
    if (holder === 'organization' && id !== null) return { organization: id }
    return scopes.get(`${holder}:${id}`) ?? INSTALLATION
  }
}

const PLACED: readonly ScopedHolder[] = ['key', 'project', 'user']

function idsOf(limits: readonly Subject[], kind: ScopedHolder): string[] {
  const ids = limits.flatMap(({ appliesTo: { holder, id } }) => (holder === kind && id !== null ? [id] : []))
  return [...new Set(ids)]
}

function isOfActor({ appliesTo: { holder, id } }: Subject, { kind, id: actor }: Actor): boolean {
  return holder === 'user' && id === actor && (kind === 'user' || kind === 'service')
}
