import { hash } from 'node:crypto'
import type { Caller } from '../access/caller.ts'
import { inProject } from '../access/cached-key.ts'
import type { Region } from '../../platform/providers/provider.ts'
import type { Database } from '../../platform/store/database.ts'
import { ownerIn, projectOwner } from '../../platform/store/owner.ts'
import { findProject, type StoredProject } from '../../platform/store/projects/projects.ts'
import { findTokenUser, peopleVersion } from '../../platform/store/sign-in/token-users.ts'
import type { TokenCallers } from './jwt-callers.ts'
import type { TokenIdentity } from './map-token.ts'

const LOOK_MS = 2_000
/** A change may escape the look above: two within a millisecond, or one that took long. Callers are made anew this often. */
const RENEW_MS = 60_000
const ID_CHARS = 32
const MAX_NAME_CHARS = 200

type Needs = { db: Database; monotonic(): number; region(): Region }

/** Turns identities into callers with the projects and users of the store, and notices when those change. */
export class StoredTokenCallers implements TokenCallers {
  readonly #needs: Needs
  #seen = ''
  #changes = 0
  #timer: NodeJS.Timeout | undefined

  constructor(needs: Needs) {
    this.#needs = needs
  }

  version(): number {
    return this.#changes * 1e6 + Math.floor(this.#needs.monotonic() / RENEW_MS)
  }

  /** Looks for changes from now on. */
  start(): void {
    this.#timer ??= setInterval(() => void this.look(), LOOK_MS).unref()
  }

  close(): void {
    clearInterval(this.#timer)
    this.#timer = undefined
  }

  /** While the store is away nothing can change. */
  async look(): Promise<void> {
    const seen = await peopleVersion(this.#needs.db).catch(() => this.#seen)
    if (seen !== this.#seen) this.#changes++
    this.#seen = seen
  }

  async callerFor(identity: TokenIdentity, expiresAt: number): Promise<Caller | undefined> {
    const { db, region } = this.#needs
    const [project, user] = await Promise.all([findProject(db, identity.project), findTokenUser(db, identity)])
    if (!project || project.deletedAt !== null || user?.disabledAt != null) return undefined
    return { ...toCaller(identity, project, user?.id ?? null, region()), expiresAt }
  }
}

/** All tokens of a subject are one caller: they share what a key would keep for itself. */
function toCaller(identity: TokenIdentity, project: StoredProject, user: string | null, region: Region): Caller {
  const { issuer, subject, entry, scopes } = identity
  const keyId = `jwt-${hash('sha256', JSON.stringify([issuer, subject])).slice(0, ID_CHARS)}`
  const ref = { organization: project.organization, project: project.id }
  return {
    ...(project.share === 'project' ? projectOwner(ref) : ownerIn(ref, 'subject', keyId)),
    keyId,
    keyName: `${entry}: ${identity.user}`.slice(0, MAX_NAME_CHARS),
    // A person or a machine that has no row here is still told apart in reports and limits.
    user: user ?? `jwt:${identity.user}`.slice(0, MAX_NAME_CHARS),
    kind: 'live',
    scopes,
    expiresAt: null,
    allowedIps: null,
    ...inProject(region, project.region as Region | null, { projectPolicy: project.policy, policy: null }),
  }
}
