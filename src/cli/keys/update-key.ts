import { updateIssued } from '../../tenants/access/keys.ts'
import { UpdateKeyRequest } from '../../contract/admin/keys.ts'
import type { Input } from '../command-line/command-table.ts'
import type { Terminal } from '../terminal.ts'
import { UsageError } from '../usage-error.ts'
import { assignmentIn, change, checkFields, remarkOnScopes } from './key-flags.ts'
import { rowsOf } from './show-keys.ts'
import { withKeys } from './with-keys.ts'

export async function updateKey({ values, operands }: Input<'keys update'>, terminal: Terminal): Promise<number> {
  const { name, region } = values
  const changes = {
    ...(name !== undefined && { name }),
    ...(region !== undefined && { region }),
    ...assignmentIn(values),
    ...change('scopes', ['--scope', values.scope], ['--all-scopes', values['all-scopes']]),
    ...change('expires_at', ['--expires-at', values['expires-at']], ['--never-expires', values['never-expires']]),
    ...change('allowed_ips', ['--allow-ip', values['allow-ip']], ['--any-ip', values['any-ip']]),
  }
  if (Object.keys(changes).length === 0)
    throw new UsageError('Nothing to change. See `gatehouse keys update --help` for what can be changed.')
  checkFields(UpdateKeyRequest, changes)
  return await withKeys(terminal, async (services) => {
    const updated = await updateIssued(operands[0]!, changes as UpdateKeyRequest, services)
    terminal.print(rowsOf(updated, services.now()))
    terminal.remark('Running processes apply the change within seconds.\n')
    remarkOnScopes(values.scope, services.config.providers, terminal)
  })
}
