import type { ImportSums } from './litellm/apply-import.ts'
import type { DatabaseImport } from './litellm/database/import-database.ts'
import { nextLine, type Output, outputLine } from './outputs.ts'

type Summary = {
  outputs: readonly Output[]
  content: DatabaseImport | undefined
  sums: ImportSums | undefined
  isApplied: boolean
  /** Files with variables that the import was given. */
  envFiles: readonly string[]
}

/** What happened, or would happen, to files and to the store. */
export function summaryOf({ outputs, content, sums, isApplied, envFiles }: Summary): string {
  const files = outputs.map((output) => outputLine(output, isApplied)).join('')
  const stored = sums ? appliedText(sums) : content ? plannedText(content) : ''
  const secrets = outputs.filter(({ holdsSecrets }) => holdsSecrets).map(({ path }) => path)
  const next = nextLine(outputs, isApplied, [...envFiles, ...secrets])
  return `\n${files}${stored}${next}`
}

const PARTS = ['organizations', 'projects', 'users', 'members', 'keys', 'limits'] as const

function appliedText(sums: ImportSums): string {
  const rows = PARTS.map((part) => [part, String(sums[part].added), String(sums[part].present)])
  const isSame = PARTS.every((part) => sums[part].added === 0) && sums.revoked === 0
  const more = isSame ? 'Nothing has changed: everything was here already.\n' : ''
  const revoked = sums.revoked > 0 ? `keys that are blocked there and revoked here: ${sums.revoked}\n` : ''
  const balances = sums.balances > 0 ? `budgets that begin with what was spent: ${sums.balances}\n` : ''
  const people = sums.users.added > 0 ? INVITE : ''
  return `${tableOf([['', 'added', 'here already'], ...rows])}${revoked}${balances}${more}${people}`
}

const INVITE =
  'People have no password here yet. They sign in with SSO, or get a link: `gatehouse users invite --all` makes one for each.\n'

/** For each project what it gets, and what belongs to no project together. */
function plannedText(content: DatabaseImport): string {
  const places = [...content.projects.map(({ id, name }) => ({ id, name })), { id: 'personal', name: 'personal' }]
  const rows = places.map(({ id, name }) => {
    const own = <Row extends { project: string | null }>(list: readonly Row[]) =>
      String(list.filter(({ project }) => project === id).length)
    const limits = content.limits.filter(({ entry }) => entry.appliesTo === `project:${id}`)
    return [id, name, own(content.keys), own(content.members), limits.map(limitText).join(', ')]
  })
  const sums = PARTS.map((part) => `${content[part].length} ${part}`).join(', ')
  return `${tableOf([['project', 'name', 'keys', 'members', 'limits'], ...rows])}${sums} would be added, if they are not here already\n`
}

function limitText({ entry, spent }: DatabaseImport['limits'][number]): string {
  const { unit = 'requests', limit, window, per } = entry
  const used = Object.values(spent).reduce((sum, one) => sum + one, 0)
  const amount = unit === 'usd' ? `$${round(limit)}` : `${limit} ${unit}`
  const time = window === undefined ? '' : window === 'total' ? ' in total' : ` in a ${window}`
  return `${amount}${time}${per ? ` for each ${per}` : ''}${used > 0 ? ` ($${round(used)} spent)` : ''}`
}

function round(usd: number): number {
  return Math.round(usd * 1e6) / 1e6
}

function tableOf(rows: readonly (readonly string[])[]): string {
  const widths = rows[0]!.map((_, column) => Math.max(...rows.map((row) => row[column]!.length)))
  return rows
    .map(
      (row) =>
        `${row
          .map((cell, column) => cell.padEnd(widths[column]!))
          .join('  ')
          .trimEnd()}\n`,
    )
    .join('')
}
