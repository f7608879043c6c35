import { type KeyServices, listIssued, showIssued } from '../../tenants/access/keys.ts'
import type { KeySummary } from '../../contract/admin/keys.ts'
import type { Input } from '../command-line/command-table.ts'
import type { Terminal } from '../terminal.ts'
import { withKeys } from './with-keys.ts'

const PAGE = 1_000
/** Of the columns, for people: a program that reads the list finds nothing else in it. */
const HEADING = ['id'.padEnd(36), 'ends ', 'kind   ', 'state  ', 'region', 'created'.padEnd(24), 'project  name'].join(
  '  ',
)

/** One line for each key, newest first. With --json, each line is a JSON object. */
export function listKeys({ values }: Input<'keys list'>, terminal: Terminal): Promise<number> {
  return withKeys(terminal, async (services) => {
    let count = 0
    for await (const key of allKeys(services)) {
      if (count++ === 0 && !values.json && terminal.screen?.isTTY) terminal.remark(`${HEADING}\n`)
      terminal.print(`${values.json ? JSON.stringify(key) : lineOf(key, services.now())}\n`)
    }
    if (count === 0) terminal.remark('There are no keys yet. `gatehouse keys create --name NAME` creates one.\n')
  })
}

export function showKey({ values, operands }: Input<'keys show'>, terminal: Terminal): Promise<number> {
  return withKeys(terminal, async (services) => {
    const key = await showIssued(operands[0]!, services)
    terminal.print(values.json ? `${JSON.stringify(key, null, 2)}\n` : rowsOf(key, services.now()))
  })
}

async function* allKeys(services: KeyServices): AsyncGenerator<KeySummary> {
  let cursor: string | undefined
  do {
    const page = await listIssued({ limit: PAGE, cursor }, services)
    yield* page.items
    cursor = page.next_cursor ?? undefined
  } while (cursor)
}

function lineOf(key: KeySummary, now: number): string {
  const { id, last4, kind, region, created_at, project, user, name } = key
  const owner = `${project}${user === null ? '' : ` (user ${user})`}`
  return [id, `…${last4}`, kind.padEnd(7), stateOf(key, now).padEnd(7), region.padEnd(6), created_at, owner, name].join(
    '  ',
  )
}

export function rowsOf(key: KeySummary, now: number): string {
  const rows: [string, string][] = [
    ['id', key.id],
    ['name', key.name],
    ['state', stateOf(key, now)],
    ['kind', key.kind],
    ['project', key.project],
    ['user', key.user ?? 'none'],
    ['owner', key.owner],
    ['region', key.region],
    ['scopes', key.scopes?.join(' ') ?? 'everything'],
    ['allowed addresses', key.allowed_ips?.join(' ') ?? 'all'],
    ['secret', `…${key.last4}`],
    ['earlier secrets', key.former_valid_until ? `valid until ${key.former_valid_until}` : 'refused'],
    ['created', key.created_at],
    ['expires', key.expires_at ?? 'never'],
    ['last used', key.last_used_at ?? 'never'],
    ...(key.revoked_at ? [['revoked', key.revoked_at] as [string, string]] : []),
  ]
  return rows.map(([label, value]) => `${label.padEnd(19)}${value}\n`).join('')
}

function stateOf({ revoked_at, expires_at }: KeySummary, now: number): 'active' | 'revoked' | 'expired' {
  if (revoked_at) return 'revoked'
  return expires_at && Date.parse(expires_at) <= now ? 'expired' : 'active'
}
