import type { Database } from '../database.ts'
import { versionChange } from './versions.ts'

// The signed catalog that replaces the one in the package, for all processes of the installation.

type StoredCatalog = {
  /** Milliseconds since 1970. */
  datedAt: number
  digest: string
  /** The signed document. Readers check its signature, because the database is not trusted. */
  content: string
}

const NAME = 'models'

export async function findCatalog(db: Database): Promise<StoredCatalog | undefined> {
  const sql = 'SELECT dated_at AS "datedAt", digest, content FROM catalogs WHERE name = $1'
  return (await db.query<StoredCatalog>(sql, [NAME]))[0]
}

/** Returns false if the store has a catalog of the same or a later date. So an old one cannot come back. */
export async function storeCatalog(db: Database, { datedAt, digest, content }: StoredCatalog): Promise<boolean> {
  const sql = `INSERT INTO catalogs (name, dated_at, digest, content) VALUES ($1, $2, $3, $4)
    ON CONFLICT (name) DO UPDATE SET dated_at = excluded.dated_at, digest = excluded.digest, content = excluded.content
    WHERE catalogs.dated_at < excluded.dated_at`
  const [stored] = await db.transaction([
    { sql, values: [NAME, datedAt, digest, content], required: true },
    versionChange('catalog-version'),
  ])
  return stored!.changes > 0
}
