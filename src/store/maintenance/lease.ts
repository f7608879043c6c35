import type { Database } from '../database.ts'

/**
 * Says that the lessee does a kind of work that only one process at a time may do, for the next `forMs`. Returns false if
 * another one does it. A lessee may extend its own lease. It is the column `holder`.
 */
export async function takeLease(
  db: Database,
  { name, lessee, forMs }: { name: string; lessee: string; forMs: number },
): Promise<boolean> {
  const sql = `INSERT INTO leases (name, holder, until) VALUES ($1, $2, now_ms() + $3)
    ON CONFLICT (name) DO UPDATE SET holder = excluded.holder, until = excluded.until
    WHERE leases.holder = excluded.holder OR leases.until < now_ms() RETURNING name`
  return (await db.query(sql, [name, lessee, forMs])).length > 0
}

/** Lets another process take over at once. */
export async function giveUpLease(db: Database, { name, lessee }: { name: string; lessee: string }): Promise<void> {
  await db.query('DELETE FROM leases WHERE name = $1 AND holder = $2', [name, lessee])
}
