import pg from 'pg'
import { StoreUnavailable } from '../store-unavailable.ts'

// SQLSTATE: connection, authorization, unknown database, resources, operator intervention, system error.
const UNAVAILABLE_CLASSES = ['08', '28', '3D', '53', '57', '58']
// Read-only after a failover, idle in a transaction for too long, lock not available, no rights on a schema or a table.
const UNAVAILABLE_STATES = ['25006', '25P03', '55P03', '42501']
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
  if (state)
    return isAboutStore(state) ? new StoreUnavailable(`${sentence(state)} (${state}).${adviceFor(state)}`) : error
  if (error instanceof TypeError || error instanceof RangeError) return error
  const { code } = error as NodeJS.ErrnoException
  return new StoreUnavailable(
    code
      ? `The database is not reachable (${code}). ${HINTS[code] ?? CHECK_ADDRESS}`
      : 'The database did not answer in time.',
  )
}

const CHECK_ADDRESS = 'Check the host and the port in DATABASE_URL, and that the server runs.'

const HINTS: Readonly<Record<string, string>> = {
  ENOTFOUND: 'Check the name of the host in DATABASE_URL, and the DNS of this machine.',
  EAI_AGAIN: 'Check the name of the host in DATABASE_URL, and the DNS of this machine.',
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
  if (state === '42501') return 'The user in DATABASE_URL has not the rights that the gateway needs'
  return 'The database cannot do this now'
}

function adviceFor(state: string): string {
  if (state.startsWith('28')) return ' Check the user and the password in it, and the server’s pg_hba.conf.'
  if (state.startsWith('3D')) return ' Create it, or correct the name after the last slash.'
  if (state === '42501') return ' Let it own the database, or run: GRANT ALL ON SCHEMA public TO that user.'
  return ''
}
