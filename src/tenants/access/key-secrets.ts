import type { StoredKey } from '../../platform/store/keys/keys.ts'

/** The key once for each of its secrets. A former secret opens the key until the end of its overlap. */
export function bySecret(key: StoredKey): StoredKey[] {
  if (key.formerSecrets.length === 0) return [key]
  const former = key.formerSecrets.map(({ digest, validUntil }) => {
    const expiresAt = key.expiresAt === null ? validUntil : Math.min(key.expiresAt, validUntil)
    return { ...key, digest, expiresAt }
  })
  return [key, ...former]
}

/** The secrets that no longer open the key: all of a revoked key, and former ones whose time is over. */
export function endedSecrets({ digest, revokedAt, formerSecrets }: StoredKey, now: number): string[] {
  const ended = formerSecrets.filter(({ validUntil }) => revokedAt !== null || validUntil <= now)
  return [...(revokedAt === null ? [] : [digest]), ...ended.map((former) => former.digest)]
}
