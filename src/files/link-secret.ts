import { randomBytes } from 'node:crypto'
import type { Secrets } from '../secrets/secrets.ts'
import type { Database } from '../store/database.ts'
import { deleteSetting, findSetting } from '../store/installation/settings.ts'

const LINK_SECRET = 'link-secret'
const BYTES = 32

/** The secret that signs result links and ids of containers. Earlier versions kept it in the store without encryption. */
export async function openLinkSecret(db: Database, secrets: Secrets): Promise<string> {
  const old = await findSetting(db, LINK_SECRET)
  const { value } = await secrets.ensure(LINK_SECRET, () => old ?? randomBytes(BYTES).toString('hex'))
  if (old !== undefined) await deleteSetting(db, LINK_SECRET)
  return value
}
