import type { Author } from '../audit/author.ts'
import { problem } from '../../contract/problems.ts'
import type { Database } from '../../platform/store/database.ts'
import type { Actor } from './actor.ts'
import { INSTALLATION, may, type Owned } from './may.ts'
import type { InstallationPermission, Permission } from './roles.ts'

/** What changes of people need: the store, who does it, and how this process learns that keys have ended. */
export type PeopleServices = {
  db: Database
  now(): number
  newId(): string
  actor: Actor
  author: Author
  keyCache?: { refresh(): Promise<void> }
}

/** Throws unless the actor may do it. */
export function demand(actor: Actor, permission: InstallationPermission): void
export function demand(actor: Actor, permission: Permission, object: Owned): void
export function demand(actor: Actor, permission: Permission, object: Owned = INSTALLATION): void {
  if (!may(actor, permission, object)) throw notYours()
}

export function notYours(message = 'Your role does not allow this.') {
  return problem('not_allowed', { message })
}

/** E-mail addresses are compared in lower case. */
export function plainEmail(email: string): string {
  return email.trim().toLowerCase()
}

/** Whether people would take a text for an e-mail address, also inside of others or with lookalikes of its sign. */
export function looksLikeEmail(text: string): boolean {
  return /\S@\S/.test(text.normalize('NFKC'))
}

/** For a name that a person chooses. An address of another person would be read as that person. */
export function checkName(name: string, email: string | null): void {
  if (looksLikeEmail(name) && plainEmail(name) !== email)
    throw invalid('name', 'A name should not be an e-mail address')
}

/** The e-mail address of a new account. */
export function readEmail(email: string): string {
  if (/^[^\s@]+@[^\s@]+$/.test(email.trim())) return plainEmail(email)
  throw invalid('email', 'Input should be an e-mail address')
}

export function isoOf(at: number): string
export function isoOf(at: number | null): string | null
export function isoOf(at: number | null): string | null {
  return at === null ? null : new Date(at).toISOString()
}

/** Refuses a value of a body in the words of all other refusals. */
export function invalid(field: string, msg: string) {
  const detail = [{ loc: ['body', field], msg, type: 'value_error' }]
  return problem('validation_error', { message: `${field}: ${msg}`, param: field, detail })
}
