import { randomUUID } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { uptime } from 'node:os'
import { join } from 'node:path'
import type { Logger } from 'pino'
import { type Caller, DEFAULT_OWNER } from '../tenants/access/caller.ts'
import { KeysOnDisk } from '../tenants/access/keys-on-disk.ts'
import type { FixedKey } from '../tenants/access/fixed-keys.ts'
import { KeyFile } from '../tenants/access/key-file.ts'
import type { Moment } from '../tenants/access/key-file-age.ts'
import type { Config } from '../platform/config/config.ts'
import { MINUTE_MS } from '../base/units/units.ts'

// Keys that are known without the store: those of the environment, and those that processes have left on disk.

const KEY_NAMES = { live: 'GATEHOUSE_API_KEY', admin: 'GATEHOUSE_ADMIN_KEY' }
const BOOT_ID_FILE = '/proc/sys/kernel/random/boot_id'

/** An embedded database is on the same disk: if it is away, so are these files. */
export async function openKeysOnDisk(
  { dataDir, databaseUrl, keyCacheMinutes }: Config,
  log: Logger,
): Promise<{ onDisk?: KeysOnDisk; file?: KeyFile }> {
  if (!databaseUrl || keyCacheMinutes === 0) return {}
  const bootId = readBootId()
  const moment = (): Moment => ({ wallMs: Date.now(), bootMs: Math.round(uptime() * 1000), bootId })
  const folder = join(dataDir, 'key-cache')
  const onDisk = await KeysOnDisk.load({ folder, maxAgeMs: keyCacheMinutes * MINUTE_MS, moment })
  return { onDisk, file: new KeyFile({ folder, id: randomUUID(), log, moment }) }
}

function readBootId(): string {
  try {
    return readFileSync(BOOT_ID_FILE, 'utf8').trim()
  } catch {
    return ''
  }
}

/** Keys that the operator sets in the environment or the config file, for containers and tests. */
export function fixedKeys({ gatehouseApiKey, gatehouseAdminKey, region }: Config): FixedKey[] {
  const caller = (kind: keyof typeof KEY_NAMES): Caller => {
    return {
      keyId: `env-${kind}`,
      keyName: KEY_NAMES[kind],
      ...DEFAULT_OWNER,
      user: null,
      kind,
      region,
      scopes: null,
      expiresAt: null,
      allowedIps: null,
      policy: null,
    }
  }
  return [
    ...(gatehouseApiKey ? [{ key: gatehouseApiKey, caller: caller('live') }] : []),
    ...(gatehouseAdminKey ? [{ key: gatehouseAdminKey, caller: caller('admin') }] : []),
  ]
}
