import type { Logger } from 'pino'
import type { StoredCredentials } from '../../platform/config/provider-settings.ts'
import type { Secrets } from '../../platform/secrets/secrets.ts'
import type { Database } from '../../platform/store/database.ts'
import { listCredentials, secretNameOf } from '../../platform/store/installation/credentials.ts'

/**
 * Reads all credentials of the store. One that is damaged is left out: it must not stop the others. Throws if another
 * encryption key is in use by now: this process has to be restarted with it, and keeps what it knows until then.
 */
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
      if (!secrets.isOurs({ fingerprint })) throw error
      log.error({ provider, credential: name, reason: (error as Error).message }, 'a stored credential cannot be read')
    }
  }
  return byProvider
}
