import type { Migration } from '../migration.ts'

/**
 * A role reaches its own organization only. Before, a role on `default` reached all of them: its owners become owners of the others,
 * so that nobody loses what they can do today. Roles and invitations on a project belong to the organization of the project, and
 * those on projects that were deleted are gone.
 */
const OWNERS = `FROM members CROSS JOIN organizations
  WHERE members.organization = 'default' AND members.project IS NULL AND members.role = 'owner' AND organizations.id <> 'default'
    AND NOT EXISTS (SELECT 1 FROM members AS held
      WHERE held.user_id = members.user_id AND held.organization = organizations.id AND held.project IS NULL)`

const COLUMNS = 'id, organization, project, user_id, role, source, created_at, updated_at'
const owners = (id: string) => `INSERT INTO members (${COLUMNS})
  SELECT ${id}, organizations.id, NULL, members.user_id, 'owner', 'manual', members.created_at, members.updated_at ${OWNERS}`

const RANDOM = 'lower(hex(randomblob(16)))'
const part = (from: number, length: number) => `substr(${RANDOM}, ${from}, ${length})`
/** The groups of a UUID of version 4, each from random bytes of its own. */
const SQLITE_UUID = `${part(1, 8)} || '-' || ${part(1, 4)} || '-4' || ${part(1, 3)} || '-a' || ${part(1, 3)} || '-' || ${part(1, 12)}`

const OF_PROJECT = (table: string) => `UPDATE ${table}
  SET organization = (SELECT projects.organization FROM projects WHERE projects.id = ${table}.project)
  WHERE project IN (SELECT id FROM projects)`

export const migration: Migration = {
  postgresOnly: [owners('CAST(gen_random_uuid() AS TEXT)')],
  sqliteOnly: [owners(SQLITE_UUID)],
  statements: [
    'DELETE FROM members WHERE project IN (SELECT id FROM projects WHERE deleted_at IS NOT NULL)',
    'DELETE FROM invitations WHERE used_at IS NULL AND project IN (SELECT id FROM projects WHERE deleted_at IS NOT NULL)',
    OF_PROJECT('members'),
    OF_PROJECT('invitations'),
  ],
}
