import { loadConfig } from '../platform/config/config.ts'
import { openStore } from '../server/open-store.ts'
import { removedBefore } from '../platform/store/ledger/expire-lines.ts'
import { chargedWindows, type WindowSum } from '../platform/store/limits/window-sums.ts'
import type { Input } from './command-line/command-table.ts'
import type { Terminal } from './terminal.ts'

/** `gatehouse ledger verify` proves that what is spent of every limit is the sum of its ledger lines. */
export async function verifyLedger(_input: Input<'ledger verify'>, { environment, print }: Terminal): Promise<number> {
  const db = await openStore(loadConfig(environment))
  try {
    const windows = await chargedWindows(db, 0)
    const complete = await removedBefore(db)
    const differing = windows.filter((window) => differs(window, complete))
    const old = windows.filter(({ start }) => start < complete).length
    for (const { limit, bucket, start, spent, charged } of differing) {
      const window = [limit, bucket, new Date(start).toISOString()].filter((part) => part !== '').join(' · ')
      print(`${window}: ${spent} is spent, but the ledger lines add up to ${charged}\n`)
    }
    print(`${windows.length} windows of limits, ${differing.length} differ from the ledger.\n`)
    if (old > 0)
      print(`${old} of them began before the oldest line that is kept, and may have spent more than their lines say.\n`)
    return differing.length > 0 ? 1 : 0
  } finally {
    await db.close()
  }
}

/** Lines that are older than their retention are gone, so a window that began before that has at least what is left of them. */
function differs({ start, spent, charged }: WindowSum & { charged: number }, complete: number): boolean {
  return start < complete ? spent < charged : spent !== charged
}
