import assert from 'node:assert/strict'
import { test } from 'node:test'
import { onBothStores } from '../../../../test/fakes/stores.ts'

// A new table has to say whose its rows are, or to be named here.

const OWNED = ['batches', 'collections', 'contents', 'conversations', 'deliveries', 'files', 'jobs', 'usage']
/** Rows of these go with the row that they belong to. */
const PARTS: Record<string, string> = {
  batch_lines: 'batches',
  provider_batches: 'batches',
  job_requests: 'jobs',
  job_results: 'jobs',
  background_responses: 'jobs',
  response_events: 'jobs',
  conversation_items: 'conversations',
  collection_items: 'collections',
  delivery_bodies: 'deliveries',
  delivery_attempts: 'deliveries',
}
/** No content of callers. */
const OTHERS = [
  ...['organizations', 'projects', 'keys', 'former_secrets'],
  ...['users', 'members', 'sessions', 'invitations', 'account_links', 'admin_tokens', 'identity_links'],
  ...['password_passes', 'sign_in_limits', 'spent_tokens', 'sso_sessions'],
  ...['agent_sessions', 'device_codes', 'oauth_codes', 'refresh_tokens', 'limit_sessions', 'mcp_servers'],
  ...['guardrails', 'guardrail_versions'],
  ...['usage_rollups', 'unrolled_batches', 'limits', 'limit_versions', 'limit_windows', 'limit_uses', 'limit_leases'],
  ...['audit', 'audit_checkpoints', 'alerts', 'aliases', 'alias_versions', 'catalogs', 'credentials', 'leases'],
  ...['processes', 'secrets', 'settings', 'store_clock', 'schema_migrations'],
]
const COLUMNS = ['organization', 'project', 'owner_kind', 'owner_id']

await onBothStores('every table', ({ one: db }) => {
  test('says whose its rows are, belongs to one that does, or has no content of callers', async () => {
    const sql =
      db.kind === 'postgres'
        ? `SELECT relname AS name FROM pg_class WHERE relnamespace = 'public'::regnamespace AND relkind IN ('r', 'p')
            AND NOT relispartition`
        : `SELECT name FROM sqlite_master WHERE type = 'table' AND name NOT LIKE 'sqlite%'`
    const names = (await db.query<{ name: string }>(sql)).map(({ name }) => name)
    assert.deepEqual(names.toSorted(), [...OWNED, ...Object.keys(PARTS), ...OTHERS].sort())
    for (const table of OWNED) await db.query(`SELECT ${COLUMNS} FROM ${table} LIMIT 1`)
  })

  test('with a part of content loses the part with the whole', async () => {
    for (const [part, whole] of Object.entries(PARTS)) assert.equal(await referenceOf(part), whole, part)
  })

  async function referenceOf(table: string): Promise<string | undefined> {
    const sql =
      db.kind === 'postgres'
        ? `SELECT CAST(CAST(confrelid AS regclass) AS TEXT) AS "table" FROM pg_constraint
            WHERE conrelid = CAST($1 AS regclass) AND contype = 'f' AND confdeltype = 'c'`
        : `SELECT "table" FROM pragma_foreign_key_list($1) WHERE on_delete = 'CASCADE'`
    return (await db.query<{ table: string }>(sql, [table]))[0]?.table
  }
})
