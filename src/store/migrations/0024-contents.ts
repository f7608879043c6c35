import type { Migration } from '../migration.ts'

/**
 * What projects keep of the content of requests. The bytes are in blobs, encrypted with a key of the project, which is a secret of
 * the installation: without it nobody can read them.
 */
export const migration: Migration = {
  statements: [
    'ALTER TABLE projects ADD COLUMN content TEXT',
    'ALTER TABLE keys ADD COLUMN record_left BIGINT',
    'ALTER TABLE keys ADD COLUMN record_until BIGINT',
    'ALTER TABLE keys ADD COLUMN record_mode TEXT',
    'CREATE INDEX projects_with_content ON projects (id) WHERE content IS NOT NULL',
    'CREATE INDEX keys_recorded ON keys (record_until) WHERE record_left > 0',
    `CREATE TABLE contents (
      id TEXT PRIMARY KEY,
      call_id TEXT NOT NULL,
      project TEXT NOT NULL,
      user_id TEXT,
      end_user TEXT,
      mode TEXT NOT NULL,
      created_at BIGINT NOT NULL,
      expires_at BIGINT NOT NULL
    )`,
    'CREATE INDEX contents_by_call ON contents (call_id)',
    'CREATE INDEX contents_by_project ON contents (project, end_user)',
    'CREATE INDEX contents_by_end ON contents (expires_at)',
  ],
}
