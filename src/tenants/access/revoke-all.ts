import { audited } from '../audit/audited.ts'
import type { BulkResult } from '../../contract/admin/bulk.ts'
import type { KeyFilters } from '../../contract/admin/keys.ts'
import type { Actor } from '../people/actor.ts'
import { inBulk } from '../people/in-bulk.ts'
import { reachIn } from '../people/may.ts'
import { chooseRevocable, countRevocable, revokeKeys } from '../../platform/store/keys/revoke-keys.ts'
import type { ChangeServices } from './keys.ts'

type Services = ChangeServices & { actor: Actor }
type RevocationRequest = { filter: KeyFilters; expected: number | null | undefined }

/** Revokes all keys that pass a filter and that the asker may change, if they are exactly as many as were confirmed. */
export async function revokeAllAs({ filter, expected }: RevocationRequest, services: Services): Promise<BulkResult> {
  const { db, actor } = services
  const chosen = { ...filter, reach: await reachIn(actor, 'keys.write', db) }
  return await inBulk({
    expected,
    isExact: true,
    count: () => countRevocable(db, chosen),
    act: async (limit) => await revokeSome(await chooseRevocable(db, chosen, limit), filter, services),
  })
}

async function revokeSome(ids: readonly string[], filter: KeyFilters, { db, author, keyCache }: Services) {
  if (ids.length === 0) return { chosen: 0, done: 0 }
  const event = { action: 'key.bulk_revoke', object: 'keys', after: { ...filter, keys: ids } }
  const revoked = await revokeKeys(audited(db, author, event), ids)
  keyCache?.apply(revoked)
  return { chosen: ids.length, done: revoked.length }
}
