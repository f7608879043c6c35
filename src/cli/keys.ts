import { randomUUID } from 'node:crypto'
import { parseArgs } from 'node:util'
import { loadConfig } from '../config/config.ts'
import { CreateKeyRequest } from '../contract/keys.ts'
import { Problem } from '../contract/problems.ts'
import { validator } from '../schema/validator.ts'
import type { KeyKind } from '../access/api-keys.ts'
import { issueKey, type KeyContext, listIssued, revokeIssued } from '../access/keys.ts'
import { openStore } from '../open-store.ts'
import type { Terminal } from './terminal.ts'
import { UsageError } from './usage-error.ts'

const options = validator(CreateKeyRequest)
const PAGE = 1_000

export async function keys([action, ...argv]: string[], terminal: Terminal): Promise<number> {
  const run = { create, list, revoke }[action ?? '']
  if (!run) throw new UsageError('Usage: gatehouse keys create, gatehouse keys list or gatehouse keys revoke ID')
  const config = loadConfig(terminal.environment)
  const db = await openStore(config)
  try {
    await run(argv, { db, now: Date.now, newId: randomUUID, config }, terminal)
    return 0
  } catch (error) {
    if (error instanceof Problem) throw new UsageError(error.message)
    throw error
  } finally {
    await db.close()
  }
}

async function create(argv: string[], keyContext: KeyContext, { print, remark }: Terminal) {
  const { values } = parseArgs({
    args: argv,
    options: {
      name: { type: 'string' },
      kind: { type: 'string' },
      owner: { type: 'string' },
      region: { type: 'string' },
      scope: { type: 'string', multiple: true },
      'expires-at': { type: 'string' },
    },
  })
  const { scope: scopes, 'expires-at': expires_at, kind, ...rest } = values
  const requested = { ...rest, ...(scopes && { scopes }), ...(expires_at && { expires_at }) }
  const checked = { ...requested, ...(kind && kind !== 'admin' && { kind }) }
  if (!options.check(checked)) {
    throw new UsageError(
      options
        .issues(checked, [])
        .map(({ loc, msg }) => `--${loc.join('.')}: ${msg}`)
        .join('; '),
    )
  }
  const issued = await issueKey({ ...checked, kind: kind as KeyKind | undefined }, keyContext)
  print(`${issued.key}\n`)
  remark(`Key ${issued.id} (${issued.kind}, owner ${issued.owner}). The key is shown only once.\n`)
}

async function list(_argv: string[], keyContext: KeyContext, { print }: Terminal) {
  let cursor: string | undefined
  do {
    const page = await listIssued({ limit: PAGE, cursor }, keyContext)
    for (const key of page.items) print(`${lineOf(key)}\n`)
    cursor = page.next_cursor ?? undefined
  } while (cursor)
}

async function revoke([id]: string[], keyContext: KeyContext, { remark }: Terminal) {
  if (!id) throw new UsageError('keys revoke needs the id of a key. `gatehouse keys list` shows the ids.')
  await revokeIssued(id, keyContext)
  remark(`Revoked ${id}.\n`)
}

function lineOf(key: Awaited<ReturnType<typeof listIssued>>['items'][number]): string {
  const state = key.revoked_at
    ? 'revoked'
    : key.expires_at && Date.parse(key.expires_at) < Date.now()
      ? 'expired'
      : 'active'
  return [
    key.id,
    `…${key.last4}`,
    key.kind.padEnd(7),
    state.padEnd(7),
    key.region.padEnd(6),
    key.created_at,
    key.name,
  ].join('  ')
}
