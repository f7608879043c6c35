import type { Database, Statement, Value } from '../database.ts'
import { OWNER_COLUMNS, type Owner, ownerPlaceholders, ownerValues } from '../owner.ts'
import { scanFairly, storedBytes } from '../owner-scans.ts'
import type { EndedJob } from '../ledger/usage.ts'

// Conversations of the responses format: lists of items that grow at their end. Their owner alone finds them, until nothing
// was added for as long as they are kept.

export type Conversation = {
  id: string
  /** JSON. */
  metadata: string
  items: number
  bytes: number
  createdAt: number
}

/** `endUser`: whom the conversation is about. */
export type NewConversation = Owner & {
  id: string
  metadata: string
  lifetimeMs: number
  endUser?: string | null | undefined
}

export type StoredItem = { id: string; item: string }

/** What an owner may have: conversations, and bytes of everything that it stores. */
export type OwnerLimits = { conversations: number; ownerBytes: number }

/** What is added, and how long the conversation is kept from now on. */
export type Addition = {
  conversation: string
  owner: string
  items: readonly StoredItem[]
  lifetimeMs: number
  /** Whom it is about. The first one that a conversation hears of stays. */
  endUser?: string | null | undefined
  /** Identifies this addition among all others. */
  token: string
}

export type ConversationLimits = { items: number; bytes: number; ownerBytes: number }

/** Only with this condition is something added. Its values come first. */
type Condition = { sql: string; values: readonly Value[] }

const COLUMNS = 'id, metadata, items, bytes, created_at AS "createdAt"'
const ALIVE = 'expires_at > (SELECT now_ms())'

/** Returns whether it was added. An owner that has as many as it may have gets no more. */
export async function insertConversation(
  db: Database,
  conversation: NewConversation,
  { conversations, ownerBytes }: OwnerLimits,
): Promise<boolean> {
  const { id, metadata, lifetimeMs, endUser = null } = conversation
  const sql = `INSERT INTO conversations (id, metadata, items, bytes, next_position, created_at, expires_at, end_user, ${OWNER_COLUMNS})
    WITH clock AS MATERIALIZED (SELECT now_ms() AS now)
    SELECT $1, $2, 0, CAST($3 AS BIGINT), 0, now, now + CAST($4 AS BIGINT), CAST($5 AS TEXT), ${ownerPlaceholders(8)} FROM clock
    WHERE (SELECT COUNT(*) FROM conversations WHERE owner = $11 AND ${ALIVE}) < CAST($6 AS BIGINT)
      AND ${storedBytes('$11')} + CAST($3 AS BIGINT) <= CAST($7 AS BIGINT)
    RETURNING id`
  const about = [id, metadata, Buffer.byteLength(metadata), lifetimeMs, endUser, conversations, ownerBytes]
  const values = [...about, ...ownerValues(conversation)]
  return (await scanFairly(db, conversation.owner, () => db.query(sql, values))).length > 0
}

export async function findConversation(db: Database, owner: string, id: string): Promise<Conversation | undefined> {
  const sql = `SELECT ${COLUMNS} FROM conversations WHERE id = $1 AND owner = $2 AND ${ALIVE}`
  return (await db.query<Conversation>(sql, [id, owner]))[0]
}

export async function changeMetadata(
  db: Database,
  owner: string,
  { id, metadata }: Pick<Conversation, 'id' | 'metadata'>,
): Promise<Conversation | undefined> {
  const sql = `UPDATE conversations SET metadata = $3,
    bytes = bytes - octet_length(metadata) + octet_length($3) WHERE id = $1 AND owner = $2 AND ${ALIVE} RETURNING ${COLUMNS}`
  return (await db.query<Conversation>(sql, [id, owner, metadata]))[0]
}

/** Deletes a conversation with its items, and returns whether it existed. */
export async function deleteConversation(db: Database, owner: string, id: string): Promise<boolean> {
  const sql = `DELETE FROM conversations WHERE id = $1 AND owner = $2 AND ${ALIVE} RETURNING id`
  return (await db.query(sql, [id, owner])).length > 0
}

/** Adds the items as a block, behind everything that is there. Returns false if a limit or a deletion prevents that. */
export async function appendItems(db: Database, addition: Addition, limits?: ConversationLimits): Promise<boolean> {
  const append = () => db.transaction(appendStatements(addition, limits && within(addition, limits)))
  const [reserved] = limits ? await scanFairly(db, addition.owner, append) : await append()
  return reserved!.changes > 0
}

/**
 * Comes after the statement that ends a job, and adds the items only if that statement did. A worker that writes the same end
 * again, because the answer to the first time was lost, finds the items there.
 */
export function appendWithJob(addition: Addition, { id, attempt, status, finishedAt }: EndedJob): Statement[] {
  const ended = 'SELECT 1 FROM jobs WHERE id = $1 AND attempt = $2 AND state = $3 AND finished_at = $4'
  const there = 'SELECT 1 FROM conversation_items WHERE conversation_id = conversations.id AND id = $5'
  const sql = `AND EXISTS (${ended}) AND NOT EXISTS (${there})`
  const first = addition.items[0]?.id ?? ''
  return appendStatements(addition, { sql, values: [id, attempt, status, finishedAt, first] })
}

/**
 * The first statement reserves the places. It locks the row, so that a concurrent addition waits, and leaves its token there:
 * the others insert nothing without it.
 */
function appendStatements(addition: Addition, condition: Condition = { sql: '', values: [] }): Statement[] {
  const { conversation, owner, items, lifetimeMs, token, endUser = null } = addition
  const values: Value[] = [...condition.values]
  const placeholder = (value: Value) => `$${values.push(value)}`
  const sql = `UPDATE conversations SET items = items + CAST(${placeholder(items.length)} AS BIGINT),
      bytes = bytes + CAST(${placeholder(bytesOf(items))} AS BIGINT), last_append = ${placeholder(token)},
      next_position = next_position + CAST(${placeholder(items.length)} AS BIGINT),
      expires_at = (SELECT now_ms()) + CAST(${placeholder(lifetimeMs)} AS BIGINT),
      end_user = COALESCE(end_user, CAST(${placeholder(endUser)} AS TEXT))
    WHERE id = ${placeholder(conversation)} AND owner = ${placeholder(owner)} AND ${ALIVE} ${condition.sql}`
  return [{ sql, values }, ...items.map((item, at) => insertItem(item, items.length - at, addition))]
}

function insertItem({ id, item }: StoredItem, fromEnd: number, { conversation, token }: Addition): Statement {
  const sql = `INSERT INTO conversation_items (conversation_id, position, id, item, bytes)
    SELECT id, next_position - CAST($3 AS BIGINT), $4, $5, CAST($6 AS BIGINT) FROM conversations
    WHERE id = $1 AND last_append = $2 ON CONFLICT DO NOTHING`
  return { sql, values: [conversation, token, fromEnd, id, item, Buffer.byteLength(item)] }
}

function within({ items, owner }: Addition, limits: ConversationLimits): Condition {
  const sql = `AND items + CAST($1 AS BIGINT) <= CAST($2 AS BIGINT) AND bytes + CAST($3 AS BIGINT) <= CAST($4 AS BIGINT)
    AND ${storedBytes('$5')} + CAST($3 AS BIGINT) <= CAST($6 AS BIGINT)`
  return { sql, values: [items.length, limits.items, bytesOf(items), limits.bytes, owner, limits.ownerBytes] }
}

function bytesOf(items: readonly StoredItem[]): number {
  return items.reduce((total, { item }) => total + Buffer.byteLength(item), 0)
}

/** Removes a batch of conversations that got no new item during their retention. */
export async function expireConversations(db: Database, limit: number): Promise<number> {
  const sql = `DELETE FROM conversations WHERE id IN (
    SELECT id FROM conversations WHERE expires_at <= (SELECT now_ms()) ORDER BY expires_at LIMIT $1)`
  const [expired] = await db.transaction([{ sql, values: [limit] }])
  return expired!.changes
}
