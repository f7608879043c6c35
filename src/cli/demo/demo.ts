import type { Author } from '../../tenants/audit/author.ts'
import type { Catalog } from '../../platform/catalog/catalog.ts'
import type { Config } from '../../platform/config/config.ts'
import type { Role } from '../../contract/admin/roles.ts'
import { CLI_ACTOR } from '../../tenants/people/actor.ts'
import type { PeopleServices } from '../../tenants/people/people-services.ts'
import { atMoment } from '../../platform/store/clock/at-moment.ts'
import type { Database } from '../../platform/store/database.ts'
import type { StoredKey } from '../../platform/store/keys/keys.ts'
import type { Signer } from '../../jobs/webhooks/signature.ts'
import type { Random } from './random.ts'

export type DemoPerson = { email: string; name: string; role: Role; project: string | null }

/** What the demo is made with, and what its parts have made so far. */
export type Demo = {
  db: Database
  config: Config
  catalog: Catalog
  signer: Signer
  random: Random
  /** The time that it shows. */
  from: number
  to: number
  /** People by their e-mail address, and keys by their name. */
  people: Map<string, DemoPerson & { id: string }>
  keys: Map<string, StoredKey>
  /** Says how much of the current part is made, from 0 to 1. */
  made(share: number): void
}

export const OWNER = 'ada@demo.example'

/** What changes are made with, at a moment, as if this person had made them. */
export function servicesAt(demo: Demo, at: number, email = OWNER): Omit<PeopleServices, 'keyCache'> {
  const db = atMoment(demo.db, at)
  return { db, now: () => at, newId: () => demo.random.uuid(), actor: CLI_ACTOR, author: authorIn(demo, email) }
}

/** Before the first person exists, the command line is the author. */
function authorIn({ people, random }: Demo, email: string): Author {
  const person = people.get(email)
  if (!person) return { actor: 'cli', via: 'cli', ip: null, request: null }
  const ip = `192.0.2.${person.name.length + 10}`
  return { actor: `user:${person.id}`, via: 'session', ip, request: `req_${random.uuid().replaceAll('-', '')}` }
}
