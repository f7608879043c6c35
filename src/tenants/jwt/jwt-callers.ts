import { digestOf } from '../access/api-keys.ts'
import type { Caller } from '../access/caller.ts'
import { networkOf, type Sender } from '../access/client-network.ts'
import { LruMap } from '../access/lru-map.ts'
import type { JwtIssuer } from '../../platform/config/auth/auth.ts'
import { problem } from '../../contract/problems.ts'
import { ExpiringMap } from '../../base/fairness/expiring-map.ts'
import { FairSemaphore, NoCapacity } from '../../base/fairness/fair-semaphore.ts'
import { StoreUnavailable } from '../../platform/store/database.ts'
import { type AlgorithmName, isAllowed, isSigned } from './algorithms.ts'
import { validUntil } from './check-claims.ts'
import { type CompactToken, looksLikeJwt, readToken } from './compact-token.ts'
import type { IssuerKeys } from './issuer-keys.ts'
import type { IssuerKey } from './key-set.ts'
import { mapToken, type TokenIdentity } from './map-token.ts'

// Callers with a token of an issuer that the config file names. A token is verified once; from then on it costs a look into a
// map, as a key does, until it expires. What a stranger can cause is bounded: everything that needs no key is checked first,
// a token that was refused is remembered, and only a few signatures are checked at a time, in fair turns.

const MAX_VERIFIED = 20_000
/** Tokens whose digest need not be computed again. */
const MAX_RECENT = 1_000
const MAX_REFUSED = 10_000
const REFUSED_MS = 30_000
/** Signatures that are checked at the same time, of all callers. */
const MAX_CHECKS = 4
const MAX_WAITING = 500
const MAX_WAIT_MS = 5_000

/** Who a verified token is for us. The store knows the project and the user. */
export type TokenCallers = {
  /** Changes whenever a project or a user may have changed: callers are then made again. */
  version(): number
  /** Undefined if the project does not exist or the user may not come in. */
  callerFor(identity: TokenIdentity, expiresAt: number): Promise<Caller | undefined>
}

type Options = {
  now(): number
  monotonic(): number
  keysOf(entry: JwtIssuer): IssuerKeys
  callers: TokenCallers
}

/** What is written down of a verified token, to ask later whether its bearer may still come in. The token itself is not in it. */
type HeldToken = { identity: TokenIdentity; until: number; alg: AlgorithmName; kid?: string | undefined }

type Verified = { identity: TokenIdentity; until: number; key: IssuerKey; caller: Caller | undefined; version: number }
type Candidate = { entry: JwtIssuer; identity: TokenIdentity; until: number }

/** A token of an issuer that is not ours: it may be a key that was imported. */
export const NOT_OURS = Symbol('not ours')
type Found = Caller | undefined | typeof NOT_OURS | Promise<Caller | undefined>

export class JwtCallers {
  readonly #options: Options
  #entries: readonly JwtIssuer[] = []
  #verified = new LruMap<Verified>(MAX_VERIFIED)
  #recent = new LruMap<Verified>(MAX_RECENT)
  #refused: ExpiringMap<true>
  readonly #checks = new FairSemaphore({ capacity: MAX_CHECKS, maxWaiting: MAX_WAITING })

  constructor(options: Options) {
    this.#options = options
    this.#refused = new ExpiringMap(MAX_REFUSED, options.monotonic)
  }

  /** Whether the config file names an issuer. If not, no token is worth a look. */
  get isOpen(): boolean {
    return this.#entries.length > 0
  }

  /** Everything is verified again when the configuration changes. The keys of all issuers are read ahead. */
  replace(entries: readonly JwtIssuer[]): void {
    this.#entries = entries
    this.#verified = new LruMap(MAX_VERIFIED)
    this.#recent = new LruMap(MAX_RECENT)
    this.#refused = new ExpiringMap(MAX_REFUSED, this.#options.monotonic)
    for (const entry of entries) void this.#options.keysOf(entry).refresh()
  }

  /** A verified token is answered at once, from memory. */
  find(token: string, sender: Sender): Found {
    const recent = this.#recent.get(token)
    if (recent && this.#isCurrent(recent)) return recent.caller
    return this.isOpen && looksLikeJwt(token) ? this.#findByDigest(token, sender) : NOT_OURS
  }

  /** Undefined if the token was not verified in this process. */
  held(token: string): HeldToken | undefined {
    const { identity, until, key } = this.#verified.get(digestOf(token)) ?? {}
    return identity && key && { identity, until: until!, alg: key.alg, kid: key.kid }
  }

  /** Undefined if the token has ended, its key or its issuer is not listed any more, or its user or project is gone. */
  async callerOf({ identity, until, alg, kid }: HeldToken): Promise<Caller | undefined> {
    const { now, keysOf, callers } = this.#options
    const entry = this.#entries.find(({ name, issuer }) => name === identity.entry && issuer === identity.issuer)
    if (!entry || until <= now() || !(await keysOf(entry).find({ alg, kid }))) return undefined
    return await callers.callerFor(identity, until)
  }

  #findByDigest(token: string, sender: Sender): Found {
    const digest = digestOf(token)
    const cached = this.#verified.get(digest)
    if (cached && this.#isValid(cached)) return this.#callerWith(token, cached)
    const client = networkOf(sender)
    if (this.#refused.get(client, digest)) return undefined
    const parts = readToken(token)
    const ours = parts ? this.#entries.filter(({ issuer }) => issuer === parts.claims.iss) : []
    if (!parts || ours.length === 0) return NOT_OURS
    return this.#verify(token, parts, { ours, digest, client })
  }

  async #verify(
    token: string,
    parts: CompactToken,
    { ours, digest, client }: { ours: readonly JwtIssuer[]; digest: string; client: string },
  ): Promise<Caller | undefined> {
    const { alg, kid } = parts.header
    const candidate = this.#candidateFor(parts, ours)
    if (!candidate || !isAllowed(alg)) return this.#refuse(client, digest)
    const key = await this.#options.keysOf(candidate.entry).find({ alg, kid })
    // It is not remembered that a key is unknown: the issuer may list it in a moment.
    if (!key) return undefined
    if (!(await this.#isSigned(parts, key, client))) return this.#refuse(client, digest)
    const verified = { ...candidate, key, caller: undefined, version: Number.NaN }
    this.#verified.set(digest, verified)
    return this.#callerWith(token, verified)
  }

  /** The first entry of the config file that this token satisfies, before anything expensive is done. */
  #candidateFor({ claims }: CompactToken, ours: readonly JwtIssuer[]): Candidate | undefined {
    const now = this.#options.now()
    for (const entry of ours) {
      const until = validUntil(claims, entry, now)
      const identity = until === undefined ? undefined : mapToken(entry, claims)
      if (identity && until !== undefined) return { entry, identity, until }
    }
    return undefined
  }

  async #isSigned({ signed, signature }: CompactToken, { alg, key }: IssuerKey, client: string): Promise<boolean> {
    try {
      await this.#checks.acquireWithin(MAX_WAIT_MS, client)
    } catch (error) {
      throw error instanceof NoCapacity ? problem('unavailable', { retryAfterSeconds: 1 }) : error
    }
    try {
      return await isSigned(alg, key, signed, signature)
    } finally {
      this.#checks.release(client)
    }
  }

  #refuse(client: string, digest: string): undefined {
    this.#refused.set(client, digest, true, REFUSED_MS)
  }

  /** Fills in the caller, from the store if something may have changed since. */
  #callerWith(token: string, verified: Verified): Caller | undefined | Promise<Caller | undefined> {
    if (this.#isCurrent(verified)) {
      this.#recent.set(token, verified)
      return verified.caller
    }
    return this.#callerAgain(token, verified)
  }

  /** While the store is away, a caller that was known stays known, as keys do. Others are told to try again. */
  async #callerAgain(token: string, verified: Verified): Promise<Caller | undefined> {
    const { callers } = this.#options
    const version = callers.version()
    try {
      verified.caller = await callers.callerFor(verified.identity, verified.until)
      verified.version = version
    } catch (error) {
      if (!(error instanceof StoreUnavailable)) throw error
      if (!verified.caller) throw problem('unavailable', { retryAfterSeconds: 1 })
    }
    this.#recent.set(token, verified)
    return verified.caller
  }

  #isCurrent(verified: Verified): boolean {
    return this.#isValid(verified) && verified.version === this.#options.callers.version()
  }

  #isValid({ until, key }: Verified): boolean {
    return !key.isGone && until > this.#options.now()
  }
}
