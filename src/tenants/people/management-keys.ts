import type { CreateAuthKeyRequest, CreatedAuthKey, AuthKey } from '../../contract/manage/keys.ts'
import { problem } from '../../contract/problems.ts'
import { listTokens, type StoredToken, tokenRevocation } from '../../platform/store/people/admin-tokens.ts'
import { audited } from '../audit/audited.ts'
import { issueToken } from './manage-tokens.ts'
import { isoOf, notYours, type PeopleServices } from './people-services.ts'

// Management keys as a program sees them that has one which makes others: those of the same service account, with its roles.

type Services = Pick<PeopleServices, 'db' | 'actor' | 'author' | 'newId' | 'now'>

/** A key never makes one that makes keys. */
export async function mintAuthKey(
  { name, scopes, expire_time }: CreateAuthKeyRequest,
  services: Services,
): Promise<CreatedAuthKey> {
  const { token, id } = await issueToken(services.actor.id, { name, scopes, expires_at: expire_time }, services)
  const stored = (await managementKeys(services)).find((one) => one.id === id)
  return { ...bodyOf(stored!), secret: token }
}

export async function listAuthKeys(services: Services): Promise<AuthKey[]> {
  return (await managementKeys(services)).map(bodyOf)
}

/** Revoking again changes nothing. */
export async function revokeAuthKey(id: string, services: Services): Promise<void> {
  const { db, actor, author } = services
  const found = (await managementKeys(services)).find((one) => one.id === id)
  if (!found) throw problem('not_found', { message: 'There is no such management key.' })
  if (found.scopes!.includes('manage:mint')) throw notYours('A key that makes keys is revoked on the admin listener.')
  if (found.revokedAt !== null) return
  const event = { action: 'token.revoke', object: `token:${id}`, before: { service: actor.id } }
  await audited(db, author, event).transaction([tokenRevocation(id, actor.id)])
}

async function managementKeys({ db, actor }: Pick<Services, 'db' | 'actor'>): Promise<StoredToken[]> {
  return (await listTokens(db, actor.id)).filter(({ scopes }) => scopes !== null)
}

function bodyOf(token: StoredToken): AuthKey {
  return {
    id: token.id,
    name: token.name,
    scopes: token.scopes ?? [],
    masked: `gate_manage_…${token.last4}`,
    created_at: isoOf(token.createdAt),
    expire_time: isoOf(token.expiresAt),
    revoked: token.revokedAt !== null,
    revoked_at: isoOf(token.revokedAt),
  }
}
