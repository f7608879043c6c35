import { maskUrls } from '../../base/redaction/mask-urls.ts'
import type { ChangeMcpServerRequest, McpServerBody } from '../../contract/admin/mcp-servers.ts'
import type { McpServer } from '../../platform/config/mcp/mcp-server.ts'
import { type ServerEntry, serverOf } from '../../platform/config/mcp/server-entry.ts'
import type { McpServerRow } from '../../platform/store/installation/mcp-servers.ts'
import { entryOf } from './stored-mcp-servers.ts'

// Bodies have members in snake_case, and the config file in camelCase. They are the same otherwise.

type Times = Pick<McpServerRow, 'createdAt' | 'updatedAt'>

/** A server that calls use. Those of the store have times. */
export function bodyOf(server: McpServer, times?: Times): McpServerBody {
  const { name, ownedBy, url, auth, allow, deny, appliesTo, pricePerCall, timeoutMs } = server
  return {
    name,
    owned_by: ownedBy,
    url: maskUrls(url),
    has_credential: auth !== undefined,
    header: auth === undefined || auth.header === 'authorization' ? null : auth.header,
    tools: { allow: allow && [...allow], deny: [...deny] },
    applies_to: appliesTo.map(({ holder, id }) => (id === null ? holder : `${holder}:${id}`)),
    price_per_call: pricePerCall,
    timeout_seconds: timeoutMs / 1_000,
    active: true,
    created_at: times ? new Date(times.createdAt).toISOString() : null,
    updated_at: times ? new Date(times.updatedAt).toISOString() : null,
  }
}

/** A server of the store, whether calls use it or not. One whose settings are not valid is shown, so that it can be deleted. */
export function bodyOfRow(row: McpServerRow, active: readonly McpServer[]): McpServerBody {
  const used = active.find(({ name, ownedBy }) => name === row.name && ownedBy === 'api')
  const credential = row.sealed === null ? undefined : 'kept'
  const server = serverOf(row.name, entryOf(row) ?? { url: '' }, { credential, ownedBy: 'api' })
  return { ...bodyOf(server, row), active: used !== undefined }
}

/** The settings of a body, with those of `before` that it does not name. Null removes a setting. */
export function entryOfBody(change: Omit<ChangeMcpServerRequest, 'credential'>, before?: ServerEntry): ServerEntry {
  const { url, header, tools, applies_to, price_per_call, timeout_seconds } = change
  const named = {
    ...(url !== undefined && { url }),
    ...(header !== undefined && { header }),
    ...(tools !== undefined && { tools: tools && withoutNulls(tools) }),
    ...(applies_to !== undefined && { appliesTo: applies_to }),
    ...(price_per_call !== undefined && { pricePerCall: price_per_call }),
    ...(timeout_seconds !== undefined && { timeoutSeconds: timeout_seconds }),
  }
  return withoutNulls({ ...before, ...named }) as ServerEntry
}

const BODY_NAMES: Readonly<Record<string, string>> = { appliesTo: 'applies_to' }

/** The name that a setting has in a body. */
export function bodyPath(path: readonly (string | number)[]): (string | number)[] {
  return path.map((step) => BODY_NAMES[step] ?? step)
}

function withoutNulls(value: object): object {
  return Object.fromEntries(Object.entries(value).filter(([, member]) => member !== null))
}
