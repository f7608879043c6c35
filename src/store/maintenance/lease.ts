import type { Database } from '../database.ts'

/**
 * Says that this holder does a kind of work that only one process at a time may do, for the next `forMs`. Returns false if
 * another process does it. The holder may extend its own lease.
 */
export async function takeLease(
  db: Database,
  { name, holder, forMs }: { name: string; holder: string; forMs: number },
): Promise<boolean> {
  const sql = `INSERT INTO leases (name, holder, until) VALUES ($1, $2, now_ms() + $3)
    ON CONFLICT (name) DO UPDATE SET holder = excluded.holder, until = excluded.until
    WHERE leases.holder = excluded.holder OR leases.until < now_ms() RETURNING name`
  return (await db.query(sql, [name, holder, forMs])).length > 0
}

/** Lets another process take over at once. */
export async function giveUpLease(db: Database, { name, holder }: { name: string; holder: string }): Promise<void> {
  await db.query('DELETE FROM leases WHERE name = $1 AND holder = $2', [name, holder])
}
