import type { Value } from '../database.ts'
import { placeholdersFor } from '../conditions.ts'

/** The part of a list that the actor may see: these organizations and projects, and own things in others. */
export type Reach = ScopeIds & { own: Own | undefined }
export type Own = ScopeIds & { user: string }
type ScopeIds = { organizations: readonly string[]; projects: readonly string[] }

/** A condition with `?` for its values, as `conditions` takes it. */
export type Condition = [text: string, values: Value[]]

type Columns = { organization: string; project: string; user: string }

/** The organization that every installation has. It runs the installation: what belongs to no organization belongs to it. */
export const DEFAULT_ORGANIZATION = 'default'

const OF_PROJECT = `COALESCE((SELECT projects.organization FROM projects WHERE projects.id = project), '${DEFAULT_ORGANIZATION}')`
const COLUMNS: Columns = { organization: OF_PROJECT, project: 'project', user: 'user_id' }

/** For rows that name their organization themselves. */
export const PLACE = { organization: 'organization', project: 'project' }

type ScopeCondition = (places: ScopeIds, columns: Columns) => Condition

/** For rows that name their project and their user. */
export function isWithin({ own, ...places }: Reach, columns = COLUMNS, within: ScopeCondition = isIn): Condition {
  const [everything, values] = within(places, columns)
  if (!own) return [everything, values]
  const [ofOwn, more] = within(own, columns)
  return [`(${everything} OR (${columns.user} = ? AND ${ofOwn}))`, [...values, own.user, ...more]]
}

/**
 * For lines of the ledger, which name the organization of their time: they stay in it if their project goes to another one, so
 * a role on the project does not reach them any more.
 */
export function isLineWithin(reach: Reach, columns: Columns): Condition {
  return isWithin(reach, columns, isLineIn)
}

function isLineIn({ organizations, projects }: ScopeIds, { organization, project }: Omit<Columns, 'user'>): Condition {
  const text = `(${organization} IN (${placeholdersFor(organizations)}) OR (${organization}, ${project}) IN (
    SELECT projects.organization, projects.id FROM projects WHERE projects.id IN (${placeholdersFor(projects)})))`
  return [text, [...organizations, ...projects]]
}

/** For rows that belong to an organization or to one of its projects. */
export function isIn(
  { organizations, projects }: ScopeIds,
  { organization, project }: Omit<Columns, 'user'> = COLUMNS,
): Condition {
  // Without an OR, an index has the rows of one organization in their order.
  const parts = [
    ...(organizations.length > 0 ? [`${organization} IN (${placeholdersFor(organizations)})`] : []),
    ...(projects.length > 0 ? [`${project} IN (${placeholdersFor(projects)})`] : []),
  ]
  return [parts.length === 0 ? '1 = 0' : `(${parts.join(' OR ')})`, [...organizations, ...projects]]
}

/**
 * For content with the key that made it, in a column. A key belongs to its user of today, and leaves what it has made in the project
 * where it was then.
 */
export function isMadeWithin({ own, ...places }: Reach, keyColumn: string): Condition {
  const ofUser = `(SELECT keys.id FROM keys WHERE keys.user_id = ?)`
  const [everything, values] = isIn(places, PLACE)
  if (!own) return [everything, values]
  const [ofOwn, more] = isIn(own, PLACE)
  return [`(${everything} OR (${keyColumn} IN ${ofUser} AND ${ofOwn}))`, [...values, own.user, ...more]]
}
