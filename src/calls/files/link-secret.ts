import { randomBytes } from 'node:crypto'
import type { Secrets } from '../../platform/secrets/secrets.ts'

const LINK_SECRET = 'link-secret'
const BYTES = 32

/** The secret that signs result links and ids of containers. */
export async function openLinkSecret(secrets: Secrets): Promise<string> {
  return (await secrets.ensure(LINK_SECRET, () => randomBytes(BYTES).toString('hex'))).value
}
