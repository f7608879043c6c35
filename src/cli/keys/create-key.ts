import type { KeyKind } from '../../access/api-keys.ts'
import { issueKey } from '../../access/keys.ts'
import { CreateKeyRequest } from '../../contract/keys.ts'
import type { Input } from '../command-line/command-table.ts'
import type { Terminal } from '../terminal.ts'
import { checkFields } from './key-flags.ts'
import { withKeys } from './with-keys.ts'

/** Prints only the key, so that it can be redirected to a file. Only this command creates admin keys. */
export async function createKey({ values }: Input<'keys create'>, terminal: Terminal): Promise<number> {
  const { name, kind, owner, region, scope, 'expires-at': expiresAt, 'allow-ip': allowIp } = values
  const fields = {
    ...(name !== undefined && { name }),
    ...(kind !== undefined && kind !== 'admin' && { kind }),
    ...(owner !== undefined && { owner }),
    ...(region !== undefined && { region }),
    ...(scope && { scopes: scope }),
    ...(expiresAt !== undefined && { expires_at: expiresAt }),
    ...(allowIp && { allowed_ips: allowIp }),
  }
  checkFields(CreateKeyRequest, fields)
  return await withKeys(terminal, async (context) => {
    const issued = await issueKey({ ...(fields as CreateKeyRequest), kind: kind as KeyKind | undefined }, context)
    terminal.print(`${issued.key}\n`)
    terminal.remark(`Key ${issued.id} (${issued.kind}, owner ${issued.owner}). The key is shown only once.\n`)
  })
}
