import { hash } from 'node:crypto'
import type { Database } from '../database.ts'

// The owner of content is a project; where keys do not share, it is a key of the project, or a caller apart, who is no key of
// the store: a subject of an issuer's tokens, or a person in the playground. store/projects/owned-content.ts has the tables.

const APART = 'apart-'
const DIGEST_CHARS = 32
/** No id of a project or a key that people choose has it, so none of them can look like a caller apart. */
const SIGN = '@'
/** Of the sign before the project, counted from 1. */
const SIGN_AT = APART.length + DIGEST_CHARS + 1

/** Names the project, so that the content belongs to its organization, ends with it, and is not seen in another one. */
export function ownerApart(keyId: string, project: string): string {
  return `${APART}${hash('sha256', keyId).slice(0, DIGEST_CHARS)}${SIGN}${project}`
}

/** The project that an owner is, or that it is apart in; the owner itself if it is a key. A project may be called `apart-…`. */
export function projectOfOwner(owner: string): string {
  return owner.startsWith(APART) && owner[SIGN_AT - 1] === SIGN ? owner.slice(SIGN_AT) : owner
}

/** The same for a column, as SQL. */
export function projectOfOwnerSql(column: string): string {
  const isApart = `substr(${column}, 1, ${APART.length}) = '${APART}' AND substr(${column}, ${SIGN_AT}, 1) = '${SIGN}'`
  return `CASE WHEN ${isApart} THEN substr(${column}, ${SIGN_AT + 1}) ELSE ${column} END`
}

/**
 * A condition: the owner is apart in this project. Only projects whose keys do not share have such owners, and others need no
 * search.
 */
export function isApartIn(project: string, kind: Database['kind']): string {
  const isApart = kind === 'postgres' ? `owner LIKE '${APART}%'` : `owner GLOB '${APART}*'`
  return `EXISTS (SELECT 1 FROM projects WHERE id = ${project} AND share = 'key')
    AND ${isApart} AND substr(owner, ${SIGN_AT}) = '${SIGN}' || CAST(${project} AS TEXT)`
}
