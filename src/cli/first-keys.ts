import type { Config } from '../config/config.ts'
import { issueKey, type KeyDesk } from '../core/key-desk.ts'
import { kindsOfKeys } from '../store/keys.ts'

export type MadeKeys = { client?: string; admin?: string }

/** A first start leaves nobody without a key; where the environment brings one, or one was made before, none is made. */
export async function firstKeys({ gatehouseApiKey, gatehouseAdminKey }: Config, desk: KeyDesk): Promise<MadeKeys> {
  const kinds = await kindsOfKeys(desk.db)
  const made: MadeKeys = {}
  if (!gatehouseApiKey && !kinds.has('live'))
    made.client = (await issueKey({ name: 'first key', owner: 'default' }, desk)).key
  if (!gatehouseAdminKey && !kinds.has('admin')) {
    made.admin = (await issueKey({ name: 'first admin key', owner: 'default', kind: 'admin' }, desk)).key
  }
  return made
}
