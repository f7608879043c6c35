import { conditions } from './conditions.ts'
import type { Database, Value } from './database.ts'
import { OWNER_COLUMNS, type Owner, ownerPlaceholders, ownerValues } from './owner.ts'

/** Who may see a collection: keys of the same owner and of the same kind. */
export type CollectionOwner = { owner: string; kind: string }

export type StoredCollection = {
  id: string
  /** The model as the caller named it, and the provider that holds the collection. */
  model: string
  provider: string
  name: string | null
  createdAt: number
}

type Paging = { page: number; limit: number }

const COLUMNS = 'id, model, provider, name, created_at AS "createdAt"'
const OWN = 'id = $1 AND owner = $2 AND kind = $3'

/** Returns whether the collection was added. An owner that already has `most` collections gets no more. */
export async function insertCollection(
  db: Database,
  owner: Owner & Pick<CollectionOwner, 'kind'>,
  { id, model, provider, name }: Omit<StoredCollection, 'createdAt'>,
  max: number,
): Promise<boolean> {
  const rows = await db.query(
    `INSERT INTO collections (id, kind, model, provider, name, created_at, ${OWNER_COLUMNS})
     SELECT $1, $2, $3, $4, $5, now_ms(), ${ownerPlaceholders(7)}
     WHERE (SELECT COUNT(*) FROM collections WHERE owner = $10 AND kind = $2) < $6 RETURNING id`,
    [id, owner.kind, model, provider, name, max, ...ownerValues(owner)],
  )
  return rows.length > 0
}

export async function findCollection(
  db: Database,
  { owner, kind }: CollectionOwner,
  id: string,
): Promise<StoredCollection | undefined> {
  const sql = `SELECT ${COLUMNS} FROM collections WHERE ${OWN}`
  return (await db.query<StoredCollection>(sql, [id, owner, kind]))[0]
}

/** Newest first. */
export async function listCollections(
  db: Database,
  mine: CollectionOwner,
  { model, page, limit }: Paging & { model?: string | undefined },
): Promise<{ collections: StoredCollection[]; total: number }> {
  const counted = filtered([], mine, model)
  const listed = filtered([limit, (page - 1) * limit], mine, model)
  const order = 'ORDER BY created_at DESC, id DESC LIMIT $1 OFFSET $2'
  const [count, rows] = await db.transaction([
    { sql: `SELECT COUNT(*) AS total FROM collections ${counted.where}`, values: counted.values },
    { sql: `SELECT ${COLUMNS} FROM collections ${listed.where} ${order}`, values: listed.values },
  ])
  return { collections: rows!.rows as StoredCollection[], total: count!.rows[0]!.total as number }
}

/** Deletes a collection with its items, and returns whether it existed. */
export async function deleteCollection(db: Database, { owner, kind }: CollectionOwner, id: string): Promise<boolean> {
  return (await db.query(`DELETE FROM collections WHERE ${OWN} RETURNING id`, [id, owner, kind])).length > 0
}

/** Adds nothing if the collection was deleted in the meantime. */
export async function insertItems(db: Database, collection: string, items: readonly string[]): Promise<void> {
  const sql = `INSERT INTO collection_items (collection_id, id, created_at)
    SELECT id, CAST($2 AS TEXT), now_ms() FROM collections WHERE id = $1 ON CONFLICT DO NOTHING`
  await db.transaction(items.map((item) => ({ sql, values: [collection, item] })))
}

/** Oldest first. */
export async function listItems(
  db: Database,
  collection: string,
  { page, limit }: Paging,
): Promise<{ items: string[]; total: number }> {
  const order = 'ORDER BY created_at, id LIMIT $2 OFFSET $3'
  const [count, rows] = await db.transaction([
    { sql: 'SELECT COUNT(*) AS total FROM collection_items WHERE collection_id = $1', values: [collection] },
    {
      sql: `SELECT id FROM collection_items WHERE collection_id = $1 ${order}`,
      values: [collection, limit, (page - 1) * limit],
    },
  ])
  return { items: rows!.rows.map(({ id }) => id as string), total: count!.rows[0]!.total as number }
}

export async function hasItem(db: Database, collection: string, item: string): Promise<boolean> {
  const sql = 'SELECT id FROM collection_items WHERE collection_id = $1 AND id = $2'
  return (await db.query(sql, [collection, item])).length > 0
}

export async function deleteItem(db: Database, collection: string, item: string): Promise<void> {
  await db.query('DELETE FROM collection_items WHERE collection_id = $1 AND id = $2', [collection, item])
}

function filtered(values: Value[], { owner, kind }: CollectionOwner, model: string | undefined) {
  const { add, where } = conditions(values)
  add('owner = ? AND kind = ?', [owner, kind])
  if (model !== undefined) add('model = ?', [model])
  return { where: where(), values }
}
