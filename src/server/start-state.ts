import type { Logger } from 'pino'
import type { Start } from '../http/health.ts'
import type { MigrationProgress } from '../platform/store/migrations.ts'

const LOG_EVERY_MS = 5_000

const REASONS = {
  opening: 'The database is being opened.',
  away: 'The database is not reachable.',
  open: 'The start is being completed.',
}

/** What a start waits for: a migration of a large table takes minutes, and the database may not be there yet. */
export class StartState implements Start {
  readonly #log: Pick<Logger, 'info'>
  readonly #clock: () => number
  #migration: (MigrationProgress & { since: number }) | undefined
  #logging: NodeJS.Timeout | undefined
  #store: keyof typeof REASONS = 'opening'

  constructor(log: Pick<Logger, 'info'>, clock = () => performance.now()) {
    this.#log = log
    this.#clock = clock
  }

  get isOpen(): boolean {
    return this.#store !== 'opening'
  }

  get reason(): string {
    if (this.#migration) return this.#migrationText(this.#migration)
    return REASONS[this.#store]
  }

  /** The first try to open the store is over. */
  readonly tried = (isOpen: boolean): void => {
    this.#store = isOpen ? 'open' : 'away'
  }

  readonly opened = (): void => {
    this.#store = 'open'
  }

  readonly migrating = (progress: MigrationProgress): void => {
    this.#migration = { ...progress, since: this.#migration?.since ?? this.#clock() }
    this.#logging ??= setInterval(() => this.#log.info(this.#fields(), 'the database is being migrated'), LOG_EVERY_MS)
  }

  /** The migrations have ended, well or badly. */
  readonly migrated = (): void => {
    clearInterval(this.#logging)
    if (this.#seconds() * 1_000 >= LOG_EVERY_MS)
      this.#log.info(this.#fields(), 'the migration of the database has ended')
    this.#migration = this.#logging = undefined
  }

  #fields() {
    const { since: _, ...progress } = this.#migration!
    return { ...progress, seconds: this.#seconds() }
  }

  #seconds(): number {
    return this.#migration ? Math.floor((this.#clock() - this.#migration.since) / 1_000) : 0
  }

  #migrationText({ migration, newest, statement, statements }: MigrationProgress): string {
    const where = statement === 0 ? 'waiting for another process' : `statement ${statement} of ${statements}`
    return `The database is being migrated for ${this.#seconds()} s: migration ${migration} of ${newest}, ${where}.`
  }
}
