import type { Limit } from '../config/spend-limits/limit.ts'
import type { Actor } from '../people/actor.ts'
import { may, type Owned } from '../people/may.ts'
import { notYours } from '../people/people-context.ts'
import type { Database } from '../store/database.ts'
import { findKeyPlaces } from '../store/limits/key-places.ts'

// Whose limit it is: that of a project, or of one of its keys, belongs to the project, and every other one to the
// organization. A limit of the config file can be seen like the others, but only the organization decides about it.

type Asking = { db: Database; actor: Actor }
type Subject = Pick<Limit, 'appliesTo' | 'ownedBy'>

/** Those of these limits that the actor may see. */
export async function visibleLimits(limits: readonly Limit[], { db, actor }: Asking): Promise<readonly Limit[]> {
  if (may(actor, 'limits.read')) return limits
  const placeOf = await placesOf(limits, db)
  return limits.filter((limit) => isOfActor(limit, actor) || may(actor, 'limits.read', placeOf(limit)))
}

/** Throws unless the actor may change all of these: what a limit was, and what it becomes. */
export async function demandChange(limits: readonly Subject[], { db, actor }: Asking): Promise<void> {
  if (may(actor, 'limits.write')) return
  const placeOf = await placesOf(limits, db)
  const refused = limits.find((limit) => {
    return !may(actor, 'limits.write', limit.ownedBy === 'file' ? ORGANIZATION : placeOf(limit))
  })
  if (refused) throw notYours('Your role only allows to change limits of your projects and of their keys.')
}

const ORGANIZATION: Owned = {}

async function placesOf(limits: readonly Subject[], db: Database): Promise<(limit: Subject) => Owned> {
  const ids = limits.flatMap(({ appliesTo: { holder, id } }) => (holder === 'key' && id !== null ? [id] : []))
  const keys = new Map((await findKeyPlaces(db, [...new Set(ids)])).map((place) => [place.id, place]))
  return ({ appliesTo: { holder, id } }) => {
    if (holder === 'project') return { project: id }
    return (holder === 'key' && keys.get(id!)) || ORGANIZATION
  }
}

function isOfActor({ appliesTo: { holder, id } }: Subject, { kind, id: actor }: Actor): boolean {
  return holder === 'user' && id === actor && (kind === 'user' || kind === 'service')
}
