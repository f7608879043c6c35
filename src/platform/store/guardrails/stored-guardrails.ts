import type { Database, Statement, Value } from '../database.ts'

/** `settings` is JSON, which the store does not read. `setBy`: with which rights it was set. */
export type StoredGuardrail = {
  id: string
  holder: string
  holderId: string | null
  setBy: string
  settings: string
  createdAt: number
  updatedAt: number
}

const COLUMNS =
  'id, holder, holder_id AS "holderId", set_by AS "setBy", settings, created_at AS "createdAt", updated_at AS "updatedAt"'
/** The row is locked until the change is committed, so that versions are counted in the order of the commits. */
const NEW_VERSION: Statement = { sql: 'UPDATE guardrail_versions SET version = version + 1' }

export async function guardrailVersion(db: Database): Promise<number> {
  return (await db.query<{ version: number }>('SELECT version FROM guardrail_versions'))[0]?.version ?? 0
}

export function readStoredGuardrails(db: Database, max: number): Promise<StoredGuardrail[]> {
  return db.query<StoredGuardrail>(`SELECT ${COLUMNS} FROM guardrails ORDER BY id LIMIT $1`, [max])
}

export async function findStoredGuardrail(db: Database, id: string): Promise<StoredGuardrail | undefined> {
  return (await db.query<StoredGuardrail>(`SELECT ${COLUMNS} FROM guardrails WHERE id = $1`, [id]))[0]
}

/** Whose guardrail it is, with which rights it is set, and how many such ones there may be. */
export type GuardrailPlace = { holder: string; holderId: string | null; setBy: string; max: number }
type NewGuardrail = { id: string; settings: string; max: number; place: GuardrailPlace }

/** Returns false if there is a guardrail with this id, or if there are as many as there may be. */
export async function insertGuardrail(db: Database, { id, settings, max, place }: NewGuardrail): Promise<boolean> {
  const sql = `INSERT INTO guardrails (id, settings, holder, holder_id, set_by, created_at, updated_at)
    SELECT $1, $2, ${placeholders(3)}, now_ms(), now_ms()
    WHERE (SELECT COUNT(*) FROM guardrails) < $6 AND ${inPlace(3)} < $7
    ON CONFLICT (id) DO NOTHING RETURNING id`
  return await changed(db, { sql, values: [id, settings, ...valuesOf(place), max, place.max] })
}

type Change = { id: string; before: string; after: string; place: GuardrailPlace }

/** Returns false if the guardrail is not what it was when it was read, or if its new holder has as many as it may have. */
export async function replaceGuardrail(db: Database, { id, before, after, place }: Change): Promise<boolean> {
  const sql = `UPDATE guardrails SET settings = $6, (holder, holder_id, set_by) = (${placeholders(3)}), updated_at = now_ms()
    WHERE id = $1 AND settings = $2
    AND (${inPlace(3)} < $7 OR (holder, COALESCE(holder_id, ''), set_by) = (${placeholders(3, true)})) RETURNING id`
  return await changed(db, { sql, values: [id, before, ...valuesOf(place), after, place.max] })
}

export async function deleteGuardrail(db: Database, id: string): Promise<boolean> {
  return await changed(db, { sql: 'DELETE FROM guardrails WHERE id = $1 RETURNING id', values: [id] })
}

/** Guardrails end with their holders. `isMeant` is a condition on the columns of the holder. */
export function guardrailsEnd(id: string, isMeant: string): Statement[] {
  return [NEW_VERSION, { sql: `DELETE FROM guardrails WHERE ${isMeant}`, values: [id] }]
}

function valuesOf({ holder, holderId, setBy }: GuardrailPlace): Value[] {
  return [holder, holderId, setBy]
}

function placeholders(first: number, isCompared = false): string {
  const id = `CAST($${first + 1} AS TEXT)`
  return `CAST($${first} AS TEXT), ${isCompared ? `COALESCE(${id}, '')` : id}, CAST($${first + 2} AS TEXT)`
}

/** How many guardrails there are at a place, whose values begin here. */
function inPlace(first: number): string {
  return `(SELECT COUNT(*) FROM guardrails AS others
    WHERE (others.holder, COALESCE(others.holder_id, ''), others.set_by) = (${placeholders(first, true)}))`
}

async function changed(db: Database, change: Statement): Promise<boolean> {
  const [, result] = await db.transaction([NEW_VERSION, { ...change, required: true }])
  return (result?.changes ?? 0) > 0
}
