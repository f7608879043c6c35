import { rotateIssued } from '../../tenants/access/keys.ts'
import { MAX_OVERLAP_SECONDS, RotateKeyRequest } from '../../contract/admin/keys.ts'
import type { Input } from '../command-line/command-table.ts'
import type { Terminal } from '../terminal.ts'
import { UsageError } from '../usage-error.ts'
import { checkFields, assignmentIn } from './key-flags.ts'
import { withKeys } from './with-keys.ts'
import { DAY_SECONDS, MINUTE_SECONDS, HOUR_SECONDS } from '../../base/units/units.ts'

/** Prints only the new key, so that it can be redirected to a file. */
export async function rotateKey({ values, operands }: Input<'keys rotate'>, terminal: Terminal): Promise<number> {
  const request = {
    ...(values.overlap !== undefined && { overlap_seconds: readSeconds(values.overlap) }),
    ...assignmentIn(values),
  }
  checkFields(RotateKeyRequest, request)
  return await withKeys(terminal, async (services) => {
    const rotated = await rotateIssued(operands[0]!, request as RotateKeyRequest, services)
    terminal.print(`${rotated.key}\n`)
    const until = rotated.former_valid_until
    const earlier = until ? `Earlier secrets are valid until ${until}.` : 'Earlier secrets are refused within seconds.'
    terminal.remark(`Key ${rotated.id} has a new secret, which is shown only once. ${earlier}\n`)
  })
}

const SECONDS: Readonly<Record<string, number>> = { s: 1, m: MINUTE_SECONDS, h: HOUR_SECONDS, d: DAY_SECONDS }

function readSeconds(text: string): number {
  const [, digits = '', unit = 's'] = /^(\d{1,9})([smhd])?$/.exec(text) ?? []
  const seconds = Number(digits) * SECONDS[unit]!
  if (digits !== '' && seconds <= MAX_OVERLAP_SECONDS) return seconds
  throw new UsageError('--overlap must be a time such as 90s, 15m, 12h or 7d, at most 30d.')
}
