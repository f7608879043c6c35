import type { Database } from '../database.ts'
import type { StoredItem } from './conversations.ts'

// The items of a conversation. Code that calls these functions has checked that the conversation belongs to the caller.

export type ItemQuery = { after?: string | undefined; order: 'asc' | 'desc'; limit: number }

const ITEMS = 'SELECT id, item FROM conversation_items WHERE conversation_id = $1'

/** All items, oldest first. */
export async function allItems(db: Database, conversation: string): Promise<StoredItem[]> {
  return await db.query<StoredItem>(`${ITEMS} ORDER BY position`, [conversation])
}

/** Undefined if there is no item with the id of `after`. */
export async function listItemsAfter(
  db: Database,
  conversation: string,
  { after, order, limit }: ItemQuery,
): Promise<StoredItem[] | undefined> {
  const position = after === undefined ? undefined : await positionOf(db, conversation, after)
  if (after !== undefined && position === undefined) return undefined
  const behind = position === undefined ? '' : `AND position ${order === 'asc' ? '>' : '<'} $3`
  const values = [conversation, limit, ...(position === undefined ? [] : [position])]
  return await db.query<StoredItem>(`${ITEMS} ${behind} ORDER BY position ${order} LIMIT $2`, values)
}

/** The bytes of the page that listItemsAfter may return, for callers that count memory first. */
export async function bytesOfLargest(db: Database, conversation: string, limit: number): Promise<number> {
  const sql = `SELECT COALESCE(SUM(bytes), 0) AS "bytes" FROM (
    SELECT bytes FROM conversation_items WHERE conversation_id = $1 ORDER BY bytes DESC LIMIT $2) AS largest`
  const [row] = await db.query<{ bytes: number }>(sql, [conversation, limit])
  return Number(row?.bytes ?? 0)
}

export async function findItem(db: Database, conversation: string, id: string): Promise<StoredItem | undefined> {
  return (await db.query<StoredItem>(`${ITEMS} AND id = $2`, [conversation, id]))[0]
}

/**
 * Returns whether the item existed. The first statement locks the conversation, so that the second counts what is really
 * there, although other requests add or delete at the same time.
 */
export async function deleteItem(db: Database, conversation: string, id: string): Promise<boolean> {
  const named = 'FROM conversation_items WHERE conversation_id = $1 AND id = $2'
  const values = [conversation, id]
  const [, , deleted] = await db.transaction([
    { sql: 'UPDATE conversations SET items = items WHERE id = $1', values: [conversation] },
    {
      sql: `UPDATE conversations SET items = items - (SELECT COUNT(*) ${named}),
        bytes = bytes - (SELECT COALESCE(SUM(conversation_items.bytes), 0) ${named}) WHERE id = $1`,
      values,
    },
    { sql: `DELETE ${named}`, values },
  ])
  return deleted!.changes > 0
}

async function positionOf(db: Database, conversation: string, id: string): Promise<number | undefined> {
  const sql = 'SELECT position FROM conversation_items WHERE conversation_id = $1 AND id = $2'
  return (await db.query<{ position: number }>(sql, [conversation, id]))[0]?.position
}
