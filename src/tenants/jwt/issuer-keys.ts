import { problem } from '../../contract/problems.ts'
import type { AlgorithmName } from './algorithms.ts'
import { type IssuerKey, readKeySet } from './key-set.ts'
import { DAY_MS } from '../../base/units/units.ts'

// The public keys of one issuer. They are read once, and again in the background while tokens arrive. A token with an unknown
// key makes the gateway look again at once, because issuers replace their keys, but not more often than every 30 seconds.

const LOOK_AGAIN_MS = 30_000
/** After a failure: the issuer may be starting. */
const TRY_AGAIN_MS = 5_000
const REFRESH_MS = 600_000
/** How long keys are believed while the issuer cannot be reached. */
const MAX_AGE_MS = DAY_MS

type Options = {
  /** Reads the document with the keys. */
  read(): Promise<unknown>
  monotonic(): number
  /** Called with the reason when the keys could not be read. */
  failed(reason: string): void
}

type KeyQuery = { alg: AlgorithmName; kid: string | undefined }

export class IssuerKeys {
  readonly #options: Options
  #keys: readonly IssuerKey[] = []
  #readAt = Number.NEGATIVE_INFINITY
  #triedAt = Number.NEGATIVE_INFINITY
  #reading: Promise<void> | undefined

  constructor(options: Options) {
    this.#options = options
  }

  /** Answers from memory if the key is known. Rejects with a 503 if the keys of the issuer cannot be read. */
  find(query: KeyQuery): IssuerKey | undefined | Promise<IssuerKey | undefined> {
    const ageMs = this.#options.monotonic() - this.#readAt
    const key = ageMs < MAX_AGE_MS ? this.#matching(query) : undefined
    if (!key) return this.#findAgain(query)
    if (ageMs >= REFRESH_MS) void this.refresh()
    return key
  }

  /** Reads the keys, unless that was tried just now. Callers that come meanwhile share one reading. */
  refresh(): Promise<void> {
    const now = this.#options.monotonic()
    if (!this.#reading && now - this.#triedAt < LOOK_AGAIN_MS) return Promise.resolve()
    this.#triedAt = this.#reading ? this.#triedAt : now
    this.#reading ??= this.#read().finally(() => {
      this.#reading = undefined
    })
    return this.#reading
  }

  async #findAgain(query: KeyQuery): Promise<IssuerKey | undefined> {
    await this.refresh()
    if (this.#options.monotonic() - this.#readAt >= MAX_AGE_MS) throw problem('unavailable', { retryAfterSeconds: 30 })
    return this.#matching(query)
  }

  /** A token without the name of its key is accepted if only one key can be meant. */
  #matching({ alg, kid }: KeyQuery): IssuerKey | undefined {
    const fitting = this.#keys.filter((one) => one.alg === alg && (kid === undefined || one.kid === kid))
    return fitting.length === 1 ? fitting[0] : undefined
  }

  async #read(): Promise<void> {
    try {
      this.#replace(readKeySet(await this.#options.read()))
      this.#readAt = this.#options.monotonic()
    } catch (error) {
      this.#triedAt -= LOOK_AGAIN_MS - TRY_AGAIN_MS
      this.#options.failed(error instanceof Error ? error.message : 'unknown')
    }
  }

  /** A key that is still listed stays the same object, so that what it has verified stays verified. */
  #replace(listed: readonly IssuerKey[]): void {
    const before = new Map(this.#keys.map((one) => [one.text, one]))
    this.#keys = listed.map((one) => before.get(one.text) ?? one)
    for (const old of before.values()) old.isGone = !this.#keys.includes(old)
  }
}
