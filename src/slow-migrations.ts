import type { Logger } from 'pino'
import type { Applying } from './store/migrations.ts'

const SLOW_MS = 2_000

/** A migration of a large table takes minutes, in which nothing else tells an operator why the gateway does not start. */
export function slowMigrations(log: Pick<Logger, 'info'>): { applying: Applying; stop(): void } {
  let timer: NodeJS.Timeout | undefined
  return {
    applying: (migration, newest) => {
      clearTimeout(timer)
      timer = setTimeout(() => log.info({ migration, newest }, 'the database is being migrated'), SLOW_MS)
    },
    stop: () => clearTimeout(timer),
  }
}
