import type { Role } from '../../../contract/admin/roles.ts'
import { conditions, numberedPlaceholders } from '../conditions.ts'
import type { Database, Value } from '../database.ts'
import { isIn, type Reach } from './reach.ts'

/** A person of an organization, with the membership on the organization if there is one. */
export type StoredPerson = {
  email: string | null
  name: string
  isConfirmed: boolean
  role: Role | null
  memberId: string | null
}

type Wanted = { organization: string; reach: Reach; limit: number; offset: number; email?: string }

const OF_MEMBER = { organization: 'members.organization', project: 'members.project' }
const ON_ORGANIZATION = (column: string) =>
  `(SELECT own.${column} FROM members AS own WHERE own.user_id = users.id AND own.organization = $1 AND own.project IS NULL)`

/** Persons with a role within the reach, by e-mail address, and how many there are. */
export async function listPersons(
  db: Database,
  { organization, reach, limit, offset, email }: Wanted,
): Promise<{ persons: StoredPerson[]; total: number }> {
  const values: Value[] = [organization]
  const { add, where } = conditions(values)
  const [within, ids] = isIn(reach, OF_MEMBER)
  add(
    `kind = 'person' AND disabled_at IS NULL AND EXISTS (SELECT 1 FROM members
    WHERE members.user_id = users.id AND members.organization = $1 AND ${within})`,
    ids,
  )
  if (email !== undefined) add('email = ?', [email])
  const count = { sql: `SELECT CAST(COUNT(*) AS BIGINT) AS count FROM users ${where()}`, values: [...values] }
  const page = `LIMIT $${values.push(limit)} OFFSET $${values.push(offset)}`
  const list = {
    sql: `SELECT email, name, CASE WHEN password IS NULL AND subject IS NULL THEN 0 ELSE 1 END AS "isConfirmed",
      ${ON_ORGANIZATION('role')} AS role, ${ON_ORGANIZATION('id')} AS "memberId"
      FROM users ${where()} ORDER BY email, id ${page}`,
    values,
  }
  const [counted, listed] = await db.transaction([count, list])
  const rows = listed!.rows as (Omit<StoredPerson, 'isConfirmed'> & { isConfirmed: number })[]
  const persons = rows.map((row) => ({ ...row, isConfirmed: Number(row.isConfirmed) === 1 }))
  return { persons, total: Number((counted!.rows[0] as { count: number }).count) }
}

const IDS_AT_ONCE = 500

/** The e-mail addresses of these users, as far as they have one. */
export async function emailsOf(db: Database, ids: readonly string[]): Promise<Map<string, string>> {
  const found = new Map<string, string>()
  for (let start = 0; start < ids.length; start += IDS_AT_ONCE) {
    const some = ids.slice(start, start + IDS_AT_ONCE)
    const sql = `SELECT id, email FROM users WHERE email IS NOT NULL AND id IN (${numberedPlaceholders(some)})`
    for (const { id, email } of await db.query<{ id: string; email: string }>(sql, some)) found.set(id, email)
  }
  return found
}
