import pg from 'pg'
import { StoreUnavailable } from '../store-unavailable.ts'

// SQLSTATE: connection, authorization, unknown database, resources, operator intervention, system error.
const UNAVAILABLE_CLASSES = ['08', '28', '3D', '53', '57', '58']
// Read-only after a failover, idle in a transaction for too long, lock not available.
const UNAVAILABLE_STATES = ['25006', '25P03', '55P03']
// Serialization failure, deadlock.
const CONFLICT_STATES = ['40001', '40P01']

/** Two transactions conflicted, and the server rolled ours back. */
export function isConflict(error: unknown): boolean {
  return CONFLICT_STATES.includes(stateOf(error) ?? '')
}

/** All connections of the server, or of PgBouncer in front of it, are taken. */
export function hasNoFreeConnection(error: unknown): boolean {
  return stateOf(error) === '53300' || (error instanceof Error && /no more connections allowed/.test(error.message))
}

/**
 * After an error that the server reported, the connection can be used again. After any other error, its state is unknown.
 */
export function leavesConnectionUsable(error: unknown): boolean {
  return error instanceof pg.DatabaseError && error.severity !== 'FATAL' && error.severity !== 'PANIC'
}

/** Errors of the store become StoreUnavailable, without the host, user or password that drivers put into messages. */
export function toStoreError(error: unknown): unknown {
  const state = stateOf(error)
  if (isUndeclaredPooler(error)) return new StoreUnavailable(UNDECLARED_POOLER)
  if (state) return isAboutStore(state) ? new StoreUnavailable(`${sentence(state)} (${state}).`) : error
  if (error instanceof TypeError || error instanceof RangeError) return error
  const { code } = error as NodeJS.ErrnoException
  return new StoreUnavailable(
    code ? `The database is not reachable (${code}).` : 'The database did not answer in time.',
  )
}

const UNDECLARED_POOLER =
  'DATABASE_URL leads to PgBouncer but does not say so: add ?pgbouncer=true to it, or &pgbouncer=true after other parameters.'

/** PgBouncer refuses our startup parameters. If it is told to ignore them, it loses our named statements. */
function isUndeclaredPooler(error: unknown): boolean {
  const state = stateOf(error)
  if (state === '26000' || state === '42P05') return /prepared statement/.test((error as Error).message)
  return state === '08P01' && /unsupported startup parameter/.test((error as Error).message)
}

function stateOf(error: unknown): string | undefined {
  return error instanceof pg.DatabaseError ? error.code : undefined
}

function isAboutStore(state: string): boolean {
  return (
    UNAVAILABLE_CLASSES.includes(state.slice(0, 2)) ||
    UNAVAILABLE_STATES.includes(state) ||
    CONFLICT_STATES.includes(state)
  )
}

function sentence(state: string): string {
  if (state.startsWith('28')) return 'The database refuses the credentials in DATABASE_URL'
  if (state.startsWith('3D')) return 'The database named in DATABASE_URL does not exist'
  return 'The database cannot do this now'
}
