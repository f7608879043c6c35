import type { Database } from '../database.ts'

/**
 * Takes a lease: the holder does a kind of work that only one process at a time may do, for the next `forMs`. Returns false if
 * another one does it. A holder may extend its own lease. It is the column `holder`.
 */
export async function takeLease(
  db: Database,
  { name, leaseHolder, forMs }: { name: string; leaseHolder: string; forMs: number },
): Promise<boolean> {
  const sql = `INSERT INTO leases (name, holder, until) VALUES ($1, $2, now_ms() + $3)
    ON CONFLICT (name) DO UPDATE SET holder = excluded.holder, until = excluded.until
    WHERE leases.holder = excluded.holder OR leases.until < now_ms() RETURNING name`
  return (await db.query(sql, [name, leaseHolder, forMs])).length > 0
}

/** Lets another process take over at once. */
export async function giveUpLease(
  db: Database,
  { name, leaseHolder }: { name: string; leaseHolder: string },
): Promise<void> {
  await db.query('DELETE FROM leases WHERE name = $1 AND holder = $2', [name, leaseHolder])
}
