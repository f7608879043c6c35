import { NOT_OF_PROJECT } from '../owner.ts'

/** Whose content a row is (platform/store/owner.ts). */
export const OWNER = `organization TEXT NOT NULL,
    project TEXT NOT NULL,
    owner_kind TEXT NOT NULL CHECK (owner_kind IN ('project', 'key', 'subject', 'person', 'operator')),
    owner_id TEXT NOT NULL,
    owner TEXT NOT NULL`

/** No content is without its project, and it goes with its project to another organization. */
export const OF_PROJECT = 'FOREIGN KEY (organization, project) REFERENCES projects (organization, id) ON UPDATE CASCADE'

/** Finds what a key or a person has, in any project. */
export function byOwnerId(table: string): string {
  return `CREATE INDEX ${table}_by_owner_id ON ${table} (owner_kind, owner_id) WHERE ${NOT_OF_PROJECT}`
}
