import { randomBytes } from 'node:crypto'
import { audited } from '../audit/audited.ts'
import type { AdminToken, AdminTokenList, CreatedAdminToken, CreateTokenRequest } from '../../contract/admin/people.ts'
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

// Tokens of service accounts for the admin listener. They do nothing on the API.

const PREFIX = 'gate_token_'
const BYTES = 32

export function isAdminToken(text: string): boolean {
  return text.startsWith(PREFIX)
}

export async function listAdminTokens(userId: string, people: PeopleServices): Promise<AdminTokenList> {
  const { organization } = await serviceAccount(userId, people)
  demand(people.actor, 'users.write', { organization })
  return { items: (await listTokens(people.db, userId)).map(bodyOf), next_cursor: null }
}

export async function createAdminToken(
  userId: string,
  { name, expires_at }: CreateTokenRequest,
  people: PeopleServices,
): Promise<CreatedAdminToken> {
  const { db, author, newId, now } = people
  await changeableUser(userId, people)
  await serviceAccount(userId, people)
  const expiresAt = expires_at ? Date.parse(expires_at) : null
  if (expiresAt !== null && expiresAt <= now()) throw invalid('expires_at', 'Input should be in the future')
  const token = `${PREFIX}${randomBytes(BYTES).toString('base64url')}`
  const stored = { id: newId(), userId, name, last4: token.slice(-4), expiresAt }
  const after = { name, service: userId, expires_at: isoOf(expiresAt) }
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

async function serviceAccount(userId: string, people: PeopleServices): Promise<StoredUser> {
  const user = await demandKnown(userId, people)
  if (user.kind === 'service') return user
  throw problem('conflict', { message: 'Only service accounts have tokens. A person signs in.' })
}

function bodyOf(token: StoredToken): AdminToken {
  return {
    id: token.id,
    name: token.name,
    last4: token.last4,
    created_at: isoOf(token.createdAt),
    expires_at: isoOf(token.expiresAt),
    revoked_at: isoOf(token.revokedAt),
    last_used_at: isoOf(token.lastUsedAt),
  }
}
