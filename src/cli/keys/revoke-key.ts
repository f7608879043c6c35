import { revokeIssued } from '../../tenants/access/keys.ts'
import type { Input } from '../command-line/command-table.ts'
import type { Terminal } from '../terminal.ts'
import { withKeys } from './with-keys.ts'

export async function revokeKey({ operands }: Input<'keys revoke'>, terminal: Terminal): Promise<number> {
  const id = operands[0]!
  return await withKeys(terminal, async (services) => {
    await revokeIssued(id, services)
    terminal.remark(`Revoked ${id}.\n`)
  })
}
