import type { Database, Statement } from '../database.ts'
import { KEY_IN_USE, READABLE, type StoredSecret } from './secrets.ts'
import { versionChange } from './versions.ts'

// Credentials at providers. The row says what operators may see; the secret is sealed, in the table `secrets`, so that a
// change of the encryption key finds it there.

/** Far more than an installation needs. All of them are in the memory of every process. */
export const MAX_CREDENTIALS = 1_000

export type CredentialRow = {
  id: string
  provider: string
  name: string
  weight: number
  createdAt: number
  updatedAt: number
}

type SealedCredential = CredentialRow & Pick<StoredSecret, 'sealed' | 'fingerprint'>
type NewSecret = Omit<StoredSecret, 'version'>

const COLUMNS = `credentials.id, credentials.provider, credentials.name, credentials.weight,
  credentials.created_at AS "createdAt", credentials.updated_at AS "updatedAt"`

/** The name of the secret of a credential. */
export function secretNameOf(id: string): string {
  return `credential:${id}`
}

/** Oldest first, so that the order of those that stay does not change. */
export function listCredentials(db: Database): Promise<SealedCredential[]> {
  const sql = `SELECT ${COLUMNS}, secrets.sealed, secrets.fingerprint FROM credentials
    JOIN secrets ON secrets.name = 'credential:' || credentials.id AND ${READABLE}
    ORDER BY credentials.created_at, credentials.id LIMIT ${MAX_CREDENTIALS}`
  return db.query<SealedCredential>(sql)
}

/** Returns false if the provider has a credential of that name, there are too many, or another encryption key is in use. */
export async function insertCredential(
  db: Database,
  { id, provider, name, weight }: Omit<CredentialRow, 'createdAt' | 'updatedAt'>,
  { name: secret, sealed, fingerprint }: NewSecret,
): Promise<boolean> {
  const row = `INSERT INTO credentials (id, provider, name, weight, created_at, updated_at)
    SELECT $1, $2, $3, CAST($4 AS BIGINT), now_ms(), now_ms()
    WHERE ${KEY_IN_USE} = $5 AND (SELECT COUNT(*) FROM credentials) < ${MAX_CREDENTIALS}
    ON CONFLICT (provider, name) DO NOTHING`
  const ofSecret = `INSERT INTO secrets (name, sealed, fingerprint, version)
    SELECT $1, $2, $3, 1 WHERE EXISTS (SELECT 1 FROM credentials WHERE id = $4)`
  const [inserted] = await db.transaction([
    { sql: row, values: [id, provider, name, weight, fingerprint], required: true },
    { sql: ofSecret, values: [secret, sealed, fingerprint, id] },
    versionChange('credentials-version'),
  ])
  return inserted!.changes > 0
}

type CredentialChange = { name: string; weight: number; secret: NewSecret | undefined }

/** Returns false if there is no such credential, another one has the name, or another encryption key is in use. */
export async function updateCredential(
  db: Database,
  id: string,
  { name, weight, secret }: CredentialChange,
): Promise<boolean> {
  const sql = `UPDATE credentials SET name = $2, weight = CAST($3 AS BIGINT), updated_at = now_ms()
    WHERE id = $1 AND ($4 = '' OR ${KEY_IN_USE} = $4) AND NOT EXISTS (
      SELECT 1 FROM credentials AS other
      WHERE other.provider = credentials.provider AND other.name = $2 AND other.id <> $1)`
  const [updated] = await db.transaction([
    { sql, values: [id, name, weight, secret?.fingerprint ?? ''], required: true },
    ...(secret ? [secretChange(secret)] : []),
    versionChange('credentials-version'),
  ])
  return updated!.changes > 0
}

function secretChange({ name, sealed, fingerprint }: NewSecret): Statement {
  const sql = `UPDATE secrets SET sealed = $2, fingerprint = $3, version = version + 1
    WHERE name = $1 AND ${KEY_IN_USE} = $3`
  return { sql, values: [name, sealed, fingerprint] }
}

/** Returns false if there is no such credential. */
export async function deleteCredential(db: Database, id: string): Promise<boolean> {
  const [deleted] = await db.transaction([
    { sql: 'DELETE FROM credentials WHERE id = $1', values: [id], required: true },
    { sql: 'DELETE FROM secrets WHERE name = $1', values: [secretNameOf(id)] },
    versionChange('credentials-version'),
  ])
  return deleted!.changes > 0
}
