import type { Value } from '../database.ts'
import { placesFor } from '../conditions.ts'

/** The part of a list that somebody may see: these projects, and own things in others. */
export type Reach = { projects: readonly string[]; own: Own | undefined }
export type Own = { user: string; projects: 'all' | readonly string[] }

/** A condition with `?` for its values, as `conditions` takes it. */
export type Condition = [text: string, values: Value[]]

/** For rows that name their project and their user. */
export function isWithin({ projects, own }: Reach, columns = { project: 'project', user: 'user_id' }): Condition {
  const texts = [`${columns.project} IN (${placesFor(projects)})`]
  const values: Value[] = [...projects]
  if (own) {
    const somewhere = own.projects === 'all' ? '' : ` AND ${columns.project} IN (${placesFor(own.projects)})`
    texts.push(`(${columns.user} = ?${somewhere})`)
    values.push(own.user, ...(own.projects === 'all' ? [] : own.projects))
  }
  return [`(${texts.join(' OR ')})`, values]
}

/** For rows that name the key that made them, in a column, and their owner, which may be a project. */
export function isMadeWithin(reach: Reach, keyColumn: string): Condition {
  const [within, values] = isWithin(reach)
  const text = `(owner IN (${placesFor(reach.projects)}) OR ${keyColumn} IN (SELECT id FROM keys WHERE ${within}))`
  return [text, [...reach.projects, ...values]]
}
