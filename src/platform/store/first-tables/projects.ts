import { DEFAULT, PERSONAL } from '../projects/projects.ts'

/**
 * Organizations and their projects. What changes what a project allows also updates the rows of its keys, so that the change is noticed
 * (keys.ts). The row of a deleted project stays, because the ledger names it; `purged_at` says when its last content was removed.
 */
export const projectTables = [
  `CREATE TABLE organizations (
    id TEXT PRIMARY KEY,
    name TEXT NOT NULL,
    claude_code_settings TEXT,
    created_at BIGINT NOT NULL
  )`,
  `CREATE TABLE projects (
    id TEXT PRIMARY KEY,
    organization TEXT NOT NULL REFERENCES organizations (id),
    name TEXT NOT NULL,
    share TEXT NOT NULL CHECK (share IN ('project', 'key')),
    region TEXT,
    policy TEXT,
    content TEXT,
    claude_code_settings TEXT,
    created_at BIGINT NOT NULL,
    updated_at BIGINT NOT NULL,
    deleted_at BIGINT,
    purged_at BIGINT,
    UNIQUE (organization, id)
  )`,
  'CREATE INDEX projects_by_creation ON projects (created_at, id)',
  'CREATE INDEX projects_by_organization ON projects (organization, created_at, id)',
  'CREATE INDEX projects_by_change ON projects (updated_at)',
  'CREATE INDEX projects_to_purge ON projects (deleted_at) WHERE deleted_at IS NOT NULL AND purged_at IS NULL',
  'CREATE INDEX projects_with_content ON projects (id) WHERE content IS NOT NULL',

  `INSERT INTO organizations (id, name, created_at) VALUES ('${DEFAULT}', '${DEFAULT}', now_ms())`,
  builtIn(PERSONAL, 'key'),
  builtIn(DEFAULT, 'project'),
]

function builtIn(id: string, share: string): string {
  return `INSERT INTO projects (id, organization, name, share, created_at, updated_at)
    VALUES ('${id}', '${DEFAULT}', '${id}', '${share}', now_ms(), now_ms())`
}
