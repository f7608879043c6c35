import { randomBytes } from 'node:crypto'
import { audited } from '../audit/audited.ts'
import type {
  AdminToken,
  AdminTokenList,
  CreatedAdminToken,
  CreateTokenRequest,
  ManagementScope,
} from '../../contract/admin/people.ts'
import { problem } from '../../contract/problems.ts'
import {
  listTokens,
  type StoredToken,
  tokenInsertion,
  tokenRevocation,
} from '../../platform/store/people/admin-tokens.ts'
import type { StoredUser } from '../../platform/store/people/users.ts'
import { changeableUser, demandKnown } from './manage-users.ts'
import { demand, invalid, isoOf, type PeopleServices } from './people-services.ts'
import { digestOfSecret } from './secret.ts'

// Tokens of service accounts: for the admin listener, which do nothing on the API, and management keys, which are used at
// `/v3/manage` on the API and do nothing on the admin listener.

const PREFIX = 'gate_token_'
const MANAGEMENT_PREFIX = 'gate_manage_'
const BYTES = 32
const SECRET_CHARS = 43

export function isAdminToken(text: string): boolean {
  return text.startsWith(PREFIX)
}

/** Whether a text has the form of a management key. */
export function isManagementKey(text: string): boolean {
  return text.startsWith(MANAGEMENT_PREFIX) && text.length === MANAGEMENT_PREFIX.length + SECRET_CHARS
}

export async function listAdminTokens(userId: string, people: PeopleServices): Promise<AdminTokenList> {
  const { organization } = await serviceAccount(userId, people)
  demand(people.actor, 'users.write', { organization })
  return { items: (await listTokens(people.db, userId)).map(bodyOf), next_cursor: null }
}

export async function createAdminToken(
  userId: string,
  request: CreateTokenRequest,
  people: PeopleServices,
): Promise<CreatedAdminToken> {
  await changeableUser(userId, people)
  await serviceAccount(userId, people)
  return await issueToken(userId, request, people)
}

/** For a service account whose tokens the actor may make. */
export async function issueToken(
  userId: string,
  { name, scopes, expires_at }: CreateTokenRequest,
  { db, author, newId, now }: Pick<PeopleServices, 'db' | 'author' | 'newId' | 'now'>,
): Promise<CreatedAdminToken> {
  const expiresAt = expires_at ? Date.parse(expires_at) : null
  if (expiresAt !== null && expiresAt <= now()) throw invalid('expires_at', 'Input should be in the future')
  if (scopes) checkScopes(scopes)
  const token = `${scopes ? MANAGEMENT_PREFIX : PREFIX}${randomBytes(BYTES).toString('base64url')}`
  const facts = { name, scopes: scopes ?? null }
  const stored = { id: newId(), userId, ...facts, last4: token.slice(-4), expiresAt }
  const after = { ...facts, service: userId, expires_at: isoOf(expiresAt) }
  const event = { action: 'token.create', object: `token:${stored.id}`, after }
  const insertion = tokenInsertion({ ...stored, digest: digestOfSecret(token) })
  const [inserted] = await audited(db, author, event).transaction([insertion])
  if (inserted!.changes === 0)
    throw problem('conflict', { message: 'This account has the maximum number of tokens. Revoke a token first.' })
  const all = await listTokens(db, userId)
  return { ...bodyOf(all.find(({ id }) => id === stored.id)!), token }
}

export async function revokeAdminToken(userId: string, id: string, people: PeopleServices): Promise<void> {
  const { db, author } = people
  await changeableUser(userId, people)
  const event = { action: 'token.revoke', object: `token:${id}`, before: { service: userId } }
  const [revoked] = await audited(db, author, event).transaction([tokenRevocation(id, userId)])
  if (revoked!.changes === 0) throw problem('not_found', { message: 'There is no such token.' })
}

/** A key that makes keys can do nothing else, so that one that leaks is contained by revoking it and what it has made. */
function checkScopes(scopes: readonly ManagementScope[]): void {
  if (new Set(scopes).size !== scopes.length) throw invalid('scopes', 'Name each scope once')
  if (scopes.includes('manage:mint') && scopes.length > 1)
    throw invalid('scopes', 'manage:mint should be the only scope of a key')
}

async function serviceAccount(userId: string, people: PeopleServices): Promise<StoredUser> {
  const user = await demandKnown(userId, people)
  if (user.kind === 'service') return user
  throw problem('conflict', { message: 'Only service accounts have tokens. A person signs in.' })
}

function bodyOf(token: StoredToken): AdminToken {
  return {
    id: token.id,
    name: token.name,
    scopes: token.scopes,
    last4: token.last4,
    created_at: isoOf(token.createdAt),
    expires_at: isoOf(token.expiresAt),
    revoked_at: isoOf(token.revokedAt),
    last_used_at: isoOf(token.lastUsedAt),
  }
}
