import type { Limit } from '../config/spend-limits/limit.ts'
import type { Actor } from '../people/actor.ts'
import { INSTALLATION, may, type Owned } from '../people/may.ts'
import { notYours } from '../people/people-context.ts'
import type { Database } from '../store/database.ts'
import { findHolderPlaces, type PlacedHolder } from '../store/limits/holder-places.ts'

// Whose limit it is: that of a project, or of one of its keys, belongs to the project, that of an organization or of a user to the
// organization, and every other one to the installation, also one for something that does not exist. A limit of the config
// file can be seen like the others, but only whoever runs the installation decides about it.

type Asking = { db: Database; actor: Actor }
type Subject = Pick<Limit, 'appliesTo' | 'ownedBy'>

/** Those of these limits that the actor may see. */
export async function visibleLimits(limits: readonly Limit[], { db, actor }: Asking): Promise<readonly Limit[]> {
  const placeOf = await placesOf(limits, db)
  return limits.filter((limit) => isOfActor(limit, actor) || may(actor, 'limits.read', placeOf(limit)))
}

/** Throws unless the actor may change all of these: what a limit was, and what it becomes. */
export async function demandChange(limits: readonly Subject[], { db, actor }: Asking): Promise<void> {
  const placeOf = await placesOf(limits, db)
  const refused = limits.find((limit) => {
    return !may(actor, 'limits.write', limit.ownedBy === 'file' ? INSTALLATION : placeOf(limit))
  })
  if (refused)
    throw notYours('Your role only allows to change limits of your organization, of your projects and of their keys.')
}

async function placesOf(limits: readonly Subject[], db: Database): Promise<(limit: Subject) => Owned> {
  const places = new Map<string, Owned>()
  for (const holder of PLACED)
    for (const place of await findHolderPlaces(db, holder, idsOf(limits, holder)))
      places.set(`${holder}:${place.id}`, place)
  return ({ appliesTo: { holder, id } }) => {
    if (holder === 'organization' && id !== null) return { organization: id }
    return places.get(`${holder}:${id}`) ?? INSTALLATION
  }
}

const PLACED: readonly PlacedHolder[] = ['key', 'project', 'user']

function idsOf(limits: readonly Subject[], wanted: PlacedHolder): string[] {
  const ids = limits.flatMap(({ appliesTo: { holder, id } }) => (holder === wanted && id !== null ? [id] : []))
  return [...new Set(ids)]
}

function isOfActor({ appliesTo: { holder, id } }: Subject, { kind, id: actor }: Actor): boolean {
  return holder === 'user' && id === actor && (kind === 'user' || kind === 'service')
}
