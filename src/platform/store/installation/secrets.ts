import type { Database, Statement } from '../database.ts'
import { findSetting, settingChange } from './settings.ts'

// Secrets of the installation, encrypted by their reader. Each row says which encryption key its value needs; a setting says
// which key is in use. A write with another key changes nothing, so a process that missed a rotation cannot undo it.

/** `version` grows with every new value, and not when the same value is encrypted again. */
export type StoredSecret = { name: string; sealed: string; fingerprint: string; version: number }

/** The setting with the fingerprint of the encryption key in use. */
export const FINGERPRINT_SETTING = 'encryption-key'

/** Far more than a PEM key takes. A longer value is not ours. */
const MAX_SEALED_CHARS = 16_384

const COLUMNS = 'name, sealed, fingerprint, version'
export const READABLE = `length(secrets.sealed) <= ${MAX_SEALED_CHARS}`
/** The fingerprint of the encryption key in use, inside of a statement. */
export const KEY_IN_USE = `(SELECT value FROM settings WHERE name = '${FINGERPRINT_SETTING}')`

type NewSecret = Omit<StoredSecret, 'version'>

export function findFingerprint(db: Database): Promise<string | undefined> {
  return findSetting(db, FINGERPRINT_SETTING)
}

export async function findSecret(db: Database, name: string): Promise<StoredSecret | undefined> {
  const sql = `SELECT ${COLUMNS} FROM secrets WHERE name = $1 AND ${READABLE}`
  return (await db.query<StoredSecret>(sql, [name]))[0]
}

export async function versionOfSecret(db: Database, name: string): Promise<number | undefined> {
  return (await db.query<{ version: number }>('SELECT version FROM secrets WHERE name = $1', [name]))[0]?.version
}

/** An existing secret stays. */
export async function insertSecret(db: Database, { name, sealed, fingerprint }: NewSecret): Promise<void> {
  const sql = `INSERT INTO secrets (name, sealed, fingerprint, version)
    SELECT $1, $2, $3, 1 WHERE ${KEY_IN_USE} = $3 ON CONFLICT (name) DO NOTHING`
  await db.query(sql, [name, sealed, fingerprint])
}

/** Returns false if another encryption key is in use by now. */
export async function replaceSecret(db: Database, { name, sealed, fingerprint }: NewSecret): Promise<boolean> {
  const sql = `UPDATE secrets SET sealed = $2, fingerprint = $3, version = version + 1
    WHERE name = $1 AND ${KEY_IN_USE} = $3 RETURNING name`
  return (await db.query(sql, [name, sealed, fingerprint])).length > 0
}

/** Secrets that need another encryption key than this one. */
export function secretsOfOtherKeys(db: Database, fingerprint: string): Promise<StoredSecret[]> {
  const sql = `SELECT ${COLUMNS} FROM secrets WHERE fingerprint <> $1 AND ${READABLE} ORDER BY name`
  return db.query<StoredSecret>(sql, [fingerprint])
}

/** Writes secrets that were encrypted again, unless they have changed since, and makes the new key the one in use. */
export async function changeKey(
  db: Database,
  { from, to }: { from: string; to: string },
  resealed: readonly { before: StoredSecret; sealed: string }[],
): Promise<void> {
  const updates = resealed.map(({ before, sealed }): Statement => {
    const sql = 'UPDATE secrets SET sealed = $2, fingerprint = $3 WHERE name = $1 AND sealed = $4'
    return { sql, values: [before.name, sealed, to, before.sealed] }
  })
  await db.transaction([...updates, settingChange(FINGERPRINT_SETTING, from, to)])
}
