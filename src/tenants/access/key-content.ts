import type { Actor, Membership } from '../people/actor.ts'
import { hasRightsOf } from '../people/grants.ts'
import { mayReadContents } from '../people/may-read-contents.ts'
import { notYours } from '../people/people-services.ts'
import type { Database } from '../../platform/store/database.ts'
import { findKey, type StoredKey } from '../../platform/store/keys/keys.ts'
import { membershipsOf } from '../../platform/store/people/members.ts'
import { findProject } from '../../platform/store/projects/projects.ts'

// A person who is shown the secret of a key can read what the key has stored. So it depends on this content who may be shown the
// secret. Where keys share, every key of the project opens the same content; where they do not, each key opens its own.

type Asking = { db: Database; actor: Actor }
type Key = Pick<StoredKey, 'kind' | 'user' | 'ownerKind' | 'ownerId' | 'organization' | 'project'>
type KeyOwnership = Pick<Key, 'user' | 'organization' | 'project'>

const REFUSALS = {
  rotate:
    'The new secret would open what this key has stored, which you may not read. Its user can rotate it; you can revoke it and ' +
    'create another key, or ask an owner or admin of the organization.',
  'hand over':
    'The user of this key can read what it was used for, which you may not. Create another key for that user and ' +
    'revoke this one, or ask an owner or admin of the organization.',
  move:
    'This key would take along what it has stored, which you may not read. Create another key there and revoke this one, or ask ' +
    'an owner or admin of the organization.',
  record:
    'You may not read what this key asks and gets, so you cannot have it recorded. Its user can, or an owner or admin of the ' +
    'organization.',
}

/** What these purposes open is the content that the key uses. The others open calls, which are their caller's in any project. */
const OPENS_SHARED = ['rotate', 'move']

/** Throws unless the actor may read the content that is the key's own. What its project shares is none of it. */
export async function demandReadable(key: Key, purpose: keyof typeof REFUSALS, asking: Asking): Promise<void> {
  const isShared = key.ownerKind === 'project' && OPENS_SHARED.includes(purpose)
  if (key.kind === 'admin' || isShared || isOwn(key, asking)) return
  const owning = key.ownerKind === 'project' ? undefined : await findKey(asking.db, key.ownerId)
  for (const one of owning ? [key, owning] : [key]) if (!(await mayRead(one, asking))) throw notYours(REFUSALS[purpose])
}

/** An actor who rotates a key of a user above them could act in the name of that user. */
export async function demandStanding(key: KeyOwnership, asking: Asking): Promise<void> {
  const { db, actor } = asking
  if (key.user === null || isOwn(key, asking)) return
  if (!hasRightsOf(actor, (await membershipsOf(db, key.user)) as Membership[], key))
    throw notYours(
      'This user can do more than you, so you are shown no secret in their name. They can make keys themselves.',
    )
}

/** The same for a key, perhaps a new one, that is given to a user while the actor knows its secret, or may know it. */
export async function demandHandover(key: KeyOwnership, asking: Asking): Promise<void> {
  if (key.user === null || isOwn(key, asking)) return
  await demandStanding(key, asking)
  const project = await findProject(asking.db, key.project)
  if (project?.share !== 'key' || (await mayRead(key, asking))) return
  throw notYours(
    'Keys of this project share nothing, and you may not read what this user would store. They can make the key themselves.',
  )
}

function isOwn({ user }: Pick<Key, 'user'>, { actor }: Asking): boolean {
  return user !== null && user === actor.id
}

async function mayRead({ organization, project, user }: KeyOwnership, { db, actor }: Asking) {
  const stored = await findProject(db, project)
  return mayReadContents(actor, { organization, project, user }, stored?.content)
}
