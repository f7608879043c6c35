import type { Migration } from '../migration.ts'

/**
 * Organizations and projects. Every named owner of keys becomes a project with the same id, so that files and jobs stay where
 * they are. Keys that are owners of their own, and keys that share with such a key, join the project `personal`.
 *
 * Whoever changes what a project allows also updates the rows of its keys, so that the change is noticed (see 0008). The row of
 * a deleted project stays, because the ledger names it; `purged_at` says when its last content was removed.
 */
export const migration: Migration = {
  statements: [
    'CREATE TABLE organizations (id TEXT PRIMARY KEY, name TEXT NOT NULL, created_at BIGINT NOT NULL)',
    `CREATE TABLE projects (
      id TEXT PRIMARY KEY,
      organization TEXT NOT NULL REFERENCES organizations (id),
      name TEXT NOT NULL,
      share TEXT NOT NULL CHECK (share IN ('project', 'key')),
      region TEXT,
      policy TEXT,
      created_at BIGINT NOT NULL,
      updated_at BIGINT NOT NULL,
      deleted_at BIGINT,
      purged_at BIGINT
    )`,
    'CREATE INDEX projects_by_creation ON projects (created_at, id)',
    'CREATE INDEX projects_by_organization ON projects (organization, created_at, id)',
    'CREATE INDEX projects_to_purge ON projects (deleted_at) WHERE deleted_at IS NOT NULL AND purged_at IS NULL',
    "INSERT INTO organizations (id, name, created_at) VALUES ('default', 'default', now_ms())",
    projects("SELECT 'personal', 'key' UNION ALL SELECT 'default', 'project'"),
    projects(
      `SELECT DISTINCT owner, 'project' FROM keys WHERE owner NOT IN (SELECT id FROM keys) AND owner NOT IN ('personal', 'default')`,
    ),
    "ALTER TABLE keys ADD COLUMN project TEXT NOT NULL DEFAULT 'personal'",
    'ALTER TABLE keys ADD COLUMN user_id TEXT',
    'ALTER TABLE keys ADD COLUMN policy TEXT',
    'UPDATE keys SET project = owner WHERE owner NOT IN (SELECT id FROM keys)',
    'CREATE INDEX keys_by_project ON keys (project, created_at, id)',
    'CREATE INDEX keys_by_user ON keys (user_id) WHERE user_id IS NOT NULL',
    // Whom stored content is about, so that it can be deleted for one person.
    ...['files', 'jobs', 'conversations'].flatMap((table) => [
      `ALTER TABLE ${table} ADD COLUMN end_user TEXT`,
      `CREATE INDEX ${table}_by_end_user ON ${table} (end_user, owner) WHERE end_user IS NOT NULL`,
    ]),
    'CREATE INDEX deliveries_by_owner ON deliveries (owner, job_id)',
  ],
}

/** `rows` yields the id of each project, which is also its name, and its sharing mode. */
function projects(rows: string): string {
  return `INSERT INTO projects (id, organization, name, share, created_at, updated_at)
    SELECT named.id, 'default', named.id, named.share, now_ms(), now_ms() FROM (SELECT '' AS id, '' AS share WHERE 1 = 0
    UNION ALL ${rows}) AS named`
}
