import { StoreUnavailable, type Database } from '../../platform/store/database.ts'
import { takesLines } from '../../platform/store/ledger/takes-lines.ts'
import { insertUsage } from '../../platform/store/ledger/usage.ts'
import type { LedgerLine } from '../../platform/store/ledger/ledger-line.ts'

/** What is done with a line that the store never takes. */
export type SetAside = (line: LedgerLine, error: unknown) => void

/**
 * Inserts lines. If the store refuses them though it takes others, one of them is at fault: halves of them are tried, until that
 * one is alone and is set aside. Otherwise it would keep the lines of all others out of the store forever.
 */
export async function insertOrSetAside(db: Database, lines: readonly LedgerLine[], setAside: SetAside): Promise<void> {
  try {
    return await insertUsage(db, lines)
  } catch (error) {
    if (error instanceof StoreUnavailable || !(await takesLines(db))) throw error
    if (lines.length === 1) return setAside(lines[0]!, error)
  }
  const middle = Math.ceil(lines.length / 2)
  await insertOrSetAside(db, lines.slice(0, middle), setAside)
  await insertOrSetAside(db, lines.slice(middle), setAside)
}
