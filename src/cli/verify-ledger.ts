import { loadConfig } from '../config/config.ts'
import { openStore } from '../open-store.ts'
import { chargedWindows } from '../store/limits/window-sums.ts'
import type { Input } from './command-line/command-table.ts'
import type { Terminal } from './terminal.ts'

/** `gatehouse ledger verify` proves that what is spent of every limit is the sum of its ledger lines. */
export async function verifyLedger(_input: Input<'ledger verify'>, { environment, print }: Terminal): Promise<number> {
  const db = await openStore(loadConfig(environment))
  try {
    const windows = await chargedWindows(db, 0)
    const differing = windows.filter(({ spent, charged }) => spent !== charged)
    for (const { limit, bucket, start, spent, charged } of differing) {
      const place = [limit, bucket, new Date(start).toISOString()].filter((part) => part !== '').join(' · ')
      print(`${place}: ${spent} is spent, and the ledger lines are ${charged}\n`)
    }
    print(`${windows.length} windows of limits, ${differing.length} differ from the ledger.\n`)
    return differing.length > 0 ? 1 : 0
  } finally {
    await db.close()
  }
}
