import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { BEHAVIOURS, ENDPOINTS, ERRORS, FIELDS, HEADERS, PARAMETERS, type Row, TASK_PROVIDERS } from './eden-rows.ts'
import { code, table } from './markdown.ts'

/** What becomes of everything that the hosted original has: the tables in docs/migration.md. */
export function edenTables(): string {
  const fields = FIELDS.map((row) => ({ ...row, name: `${row.on}: ${row.name}` }))
  return [
    section('endpoint', ENDPOINTS),
    section('field', fields),
    section('parameter of a query', PARAMETERS),
    section('header', HEADERS),
    section('error', ERRORS),
    plain('behaviour', BEHAVIOURS),
    section('provider of a task', grouped(TASK_PROVIDERS)),
  ].join('\n')
}

const FIRST_TABLE = '| endpoint | here | how |'

/** The page with its tables as they are now. They end it. */
export async function migrationPage(): Promise<string> {
  const page = await readFile(join(import.meta.dirname, 'migration.md'), 'utf8')
  return page.slice(0, page.indexOf(FIRST_TABLE)) + edenTables()
}

/** What is the same needs one line. */
function section(kind: string, rows: readonly Row[]): string {
  const others = rows.filter(({ outcome, how }) => outcome !== 'same' || how)
  const same = rows.filter((row) => !others.includes(row)).map(({ name }) => code(name))
  const listed = same.length > 0 ? [[same.join(', '), 'same', '']] : []
  return table(
    [kind, 'here', 'how'],
    [...listed, ...others.map(({ name, outcome, how = '' }) => [code(name), outcome, how])],
  )
}

/** What has no name in code. */
function plain(kind: string, rows: readonly Row[]): string {
  return table(
    [kind, 'here', 'how'],
    rows.map(({ name, outcome, how = '' }) => [name, outcome, how]),
  )
}

/** Rows with the same reason are one row. */
function grouped(rows: readonly Row[]): Row[] {
  const groups = Map.groupBy(rows, ({ outcome, how }) => `${outcome} ${how}`)
  return [...groups.values()].map((group) => ({ ...group[0]!, name: group.map(({ name }) => name).join('`, `') }))
}
