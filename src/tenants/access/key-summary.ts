import type { KeySummary } from '../../contract/admin/keys.ts'
import type { Region } from '../../platform/providers/provider.ts'
import type { Database } from '../../platform/store/database.ts'
import type { StoredKey } from '../../platform/store/keys/keys.ts'
import { spendOfKeys } from '../../platform/store/ledger/key-spend.ts'
import type { Reach } from '../../platform/store/people/reach.ts'

// A key as the admin API shows it, without its secret.

export type SeeingKeys = { db: Database; now(): number; reach?: Reach | undefined }

/** Keys with what they have cost since the month began, as far as the asker may see it. */
export async function withMonth(keys: readonly StoredKey[], { db, now, reach }: SeeingKeys) {
  const today = new Date(now())
  const begin = Date.UTC(today.getUTCFullYear(), today.getUTCMonth(), 1)
  const ids = keys.map(({ id }) => id)
  const spent = await spendOfKeys(db, ids, { from: begin, reach })
  return keys.map((key): KeySummary => {
    const { requests = 0, cost = 0 } = spent.get(key.id) ?? {}
    return { ...summaryOf(key, now()), month_requests: requests, month_cost: cost }
  })
}

export function summaryOf(key: StoredKey, now: number): KeySummary {
  const ends = key.formerSecrets.map(({ validUntil }) => validUntil).filter((end) => end > now)
  return {
    id: key.id,
    name: key.name,
    // The access tokens of coding agents are not listed.
    kind: key.kind === 'session' ? 'live' : key.kind,
    owner: key.ownerId,
    project: key.project,
    user: key.user,
    policy: key.policy,
    region: key.region as Region,
    scopes: key.scopes,
    expires_at: isoOf(key.expiresAt),
    allowed_ips: key.allowedIps,
    former_valid_until: ends.length > 0 ? isoOf(Math.max(...ends)) : null,
    created_at: isoOf(key.createdAt)!,
    last_used_at: isoOf(key.lastUsedAt),
    revoked_at: isoOf(key.revokedAt),
    last4: key.last4,
    recording: recordingOf(key, now),
  }
}

function recordingOf({ recordLeft, recordUntil, recordMode }: StoredKey, now: number): KeySummary['recording'] {
  if (!recordLeft || recordUntil === null || recordUntil <= now) return null
  return { requests_left: recordLeft, expires_at: isoOf(recordUntil)!, mode: recordMode ?? 'redacted' }
}

function isoOf(at: number | null): string | null {
  return at === null ? null : new Date(at).toISOString()
}
