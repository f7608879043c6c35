import { issueKey } from '../../tenants/access/keys.ts'
import { CreateKeyRequest } from '../../contract/admin/keys.ts'
import { words } from '../../base/schema/fields.ts'
import Type, { type Static } from '../../base/schema/type.ts'
import type { Input } from '../command-line/command-table.ts'
import type { Terminal } from '../terminal.ts'
import { assignmentIn, checkFields, remarkOnScopes } from './key-flags.ts'
import { withKeys } from './with-keys.ts'

/** The admin API creates no admin keys. */
const NewKey = Type.Object(
  { ...CreateKeyRequest.properties, kind: Type.Optional(words(['live', 'sandbox', 'admin'])) },
  { additionalProperties: false },
)

/** Prints only the key, so that it can be redirected to a file. */
export async function createKey({ values }: Input<'keys create'>, terminal: Terminal): Promise<number> {
  const { name, kind, owner, region, scope, 'expires-at': expiresAt, 'allow-ip': allowIp } = values
  const fields = {
    ...(name !== undefined && { name }),
    ...(kind !== undefined && { kind }),
    ...(owner !== undefined && { owner }),
    ...assignmentIn(values),
    ...(region !== undefined && { region }),
    ...(scope && { scopes: scope }),
    ...(expiresAt !== undefined && { expires_at: expiresAt }),
    ...(allowIp && { allowed_ips: allowIp }),
  }
  checkFields(NewKey, fields)
  return await withKeys(terminal, async (services) => {
    const issued = await issueKey(fields as Static<typeof NewKey>, services)
    terminal.print(`${issued.key}\n`)
    terminal.remark(`Key ${issued.id} (${issued.kind}, project ${issued.project}). The key is shown only once.\n`)
    remarkOnScopes(scope, services.config.providers, terminal)
  })
}
