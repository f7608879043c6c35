import type { RequestLine } from '../../contract/admin/requests.ts'
import { problem } from '../../contract/problems.ts'
import { Slots } from '../../base/fairness/slots.ts'
import type { Database } from '../../platform/store/database.ts'
import type { LineFilter } from '../../platform/store/ledger/line-filter.ts'
import type { Ledger } from './ledger.ts'
import { NewRequests } from './new-requests.ts'

/** How often the store is asked for new lines. */
const LOOK_MS = 1_000
/** At every so many looks, the rights of each follower are checked again. */
const LOOKS_PER_CHECK = 5
const MAX_PER_ACTOR = 4
/** Of all actors together, in this process. */
const MAX_FOLLOWERS = 100

/** A connected client that is sent the calls of all processes as they end. */
type Follower = {
  /** Who it is: an account or a key. Everybody may open as many sessions as they like, so a session has no slots of its own. */
  name: string
  filter: LineFilter
  /** `dropped`: so many more calls passed the filter than one look reads. */
  send(lines: readonly RequestLine[], dropped: number): void
  mayGoOn(): Promise<boolean>
  end(): void
}

type Services = { ledger: Ledger; db: Database; now(): number }
type Group = { news: NewRequests; followers: Set<Follower> }

/** Reads the new lines of the ledger from the store, where those of all processes arrive: once for each filter. */
export class LiveRequests {
  readonly #services: Services
  readonly #slots = new Slots({ each: MAX_PER_ACTOR, all: MAX_FOLLOWERS })
  readonly #groups = new Map<string, Group>()
  #timer: NodeJS.Timeout | undefined
  #looks = 0
  #isClosed = false

  constructor(services: Services) {
    this.#services = services
  }

  /** Returns the function that ends it. */
  follow(follower: Follower): () => void {
    this.#refuseTooMany(follower.name)
    const leaveSlot = this.#slots.take(follower.name)
    const key = JSON.stringify(follower.filter)
    const group = this.#groups.get(key) ?? this.#open(key, follower.filter)
    group.followers.add(follower)
    this.#timer ??= this.#lookLater()
    return () => {
      leaveSlot()
      this.#leave(key, follower)
    }
  }

  /** Reads what is new, and sends it. A timer calls this while there are followers. */
  async look(): Promise<void> {
    if (++this.#looks % LOOKS_PER_CHECK === 0) await this.#check()
    if (this.#groups.size === 0) return
    await this.#services.ledger.flush()
    for (const group of this.#groups.values()) await this.#lookFor(group)
  }

  /** Ends all of them: the process stops. */
  close(): void {
    this.#isClosed = true
    clearTimeout(this.#timer)
    for (const follower of this.#followers()) follower.end()
  }

  async #lookFor({ news, followers }: Group): Promise<void> {
    const { lines, dropped } = await news.read(this.#services)
    if (lines.length > 0) for (const follower of followers) follower.send(lines, dropped)
  }

  async #check(): Promise<void> {
    // A follower whose rights cannot be read, because the store is away, goes on.
    for (const follower of this.#followers()) if (!(await follower.mayGoOn().catch(() => true))) follower.end()
  }

  #open(key: string, filter: LineFilter): Group {
    const group = { news: new NewRequests(filter, this.#services.now()), followers: new Set<Follower>() }
    this.#groups.set(key, group)
    return group
  }

  #leave(key: string, follower: Follower): void {
    const group = this.#groups.get(key)
    if (!group?.followers.delete(follower)) return
    if (group.followers.size === 0) this.#groups.delete(key)
  }

  #refuseTooMany(name: string): void {
    const full = this.#slots.fullFor(name)
    if (this.#isClosed || full === 'all') throw problem('overloaded')
    if (full === undefined) return
    const message = `You already follow the request log ${MAX_PER_ACTOR} times. Close one of them first.`
    throw problem('rate_limited', { message })
  }

  #followers(): Follower[] {
    return [...this.#groups.values()].flatMap(({ followers }) => [...followers])
  }

  #lookLater(): NodeJS.Timeout {
    return setTimeout(() => void this.#lookAgain(), LOOK_MS).unref()
  }

  /** A look that fails is made up for by the next one: the store may be away for a while. */
  async #lookAgain(): Promise<void> {
    await this.look().catch(() => undefined)
    this.#timer = this.#groups.size > 0 && !this.#isClosed ? this.#lookLater() : undefined
  }
}
