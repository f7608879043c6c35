import type { Logger } from 'pino'
import type { StoredCredentials } from '../config/provider-settings.ts'
import type { Secrets } from '../secrets/secrets.ts'
import type { Database } from '../store/database.ts'
import { listCredentials, secretNameOf } from '../store/installation/credentials.ts'

/** Reads all credentials of the store. One that cannot be decrypted is left out: it must not stop the others. */
export async function readStoredCredentials(
  db: Database,
  secrets: Secrets,
  log: Pick<Logger, 'error'>,
): Promise<StoredCredentials> {
  const byProvider: Record<string, StoredCredentials[string][number][]> = {}
  for (const { id, provider, name, weight, sealed, fingerprint } of await listCredentials(db)) {
    try {
      const secret = secrets.opened({ name: secretNameOf(id), sealed, fingerprint })
      byProvider[provider] ??= []
      byProvider[provider].push({ id, name, secret, weight })
    } catch (error) {
      log.error({ provider, credential: name, reason: (error as Error).message }, 'a stored credential cannot be read')
    }
  }
  return byProvider
}
