import type { RequestLine } from '../../contract/admin/requests.ts'
import type { Database } from '../../platform/store/database.ts'
import type { LineFilter } from '../../platform/store/ledger/line-filter.ts'
import { countRequests, findRequests, type StoredLine } from '../../platform/store/requests/find-requests.ts'
import { namedLines } from './request-log.ts'

/** A line arrives in the store some seconds after its call ended, and the clocks of machines differ. */
const LATE_MS = 30_000
const LINES_PER_LOOK = 200

type Services = { db: Database; now(): number }
type News = { lines: RequestLine[]; dropped: number }

/** The lines that pass a filter and have arrived since the last look. */
export class NewRequests {
  readonly #filter: LineFilter
  readonly #since: number
  /** The end of the last call that was read. */
  #newest: number
  /** The ids of the lines that were read and may be found again, with the end of their calls. */
  #seen = new Map<string, number>()

  constructor(filter: LineFilter, since: number) {
    this.#filter = filter
    this.#since = since
    this.#newest = since
  }

  /** Oldest first. Of very many, only the newest. */
  async read({ db, now }: Services): Promise<News> {
    const from = Math.max(this.#since, Math.min(this.#newest, now()) - LATE_MS)
    const search = { from, to: Number.MAX_SAFE_INTEGER, filter: this.#filter }
    const { lines } = await findRequests(db, { ...search, limit: LINES_PER_LOOK })
    const fresh = lines.filter(({ id }) => !this.#seen.has(id))
    const dropped = fresh.length === LINES_PER_LOOK ? await this.#countBefore(fresh.at(-1)!, db) : 0
    this.#remember(lines, from)
    return { lines: await namedLines(db, fresh.toReversed()), dropped }
  }

  /** If one look finds nothing that was read before, there may be more in between. */
  #countBefore({ at }: StoredLine, db: Database): Promise<number> {
    return countRequests(db, { from: this.#newest, to: at, filter: this.#filter })
  }

  #remember(lines: readonly StoredLine[], from: number): void {
    for (const { id, at } of lines) this.#seen.set(id, at)
    for (const [id, at] of this.#seen) if (at < from) this.#seen.delete(id)
    this.#newest = Math.max(this.#newest, lines[0]?.at ?? 0)
  }
}
