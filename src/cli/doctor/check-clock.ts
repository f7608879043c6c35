import { wallClockOf } from '../../platform/store/maintenance/wall-clock.ts'
import type { Database } from '../../platform/store/database.ts'
import { failed, type Finding, ok, warning } from './finding.ts'

const SMALL_MS = 5_000
const LARGE_MS = 60_000
/** This version did not exist before. */
const EARLIEST = Date.UTC(2026, 0, 1)
const ADVICE = 'Synchronize the clocks, for example with chrony or systemd-timesyncd: keys expire by them.'

/** Keys, signatures and certificates are refused if the clock of this machine is far off. */
export function checkClock(now = Date.now()): Finding {
  const text = new Date(now).toISOString()
  return now < EARLIEST ? failed('clock', `The clock of this machine says ${text}.`, ADVICE) : ok('clock', text)
}

/** The embedded database has the clock of this machine. */
export async function checkClockOf(db: Database, now = () => Date.now()): Promise<Finding[]> {
  if (db.kind === 'sqlite') return []
  const before = now()
  const other = await wallClockOf(db)
  return [compareClocks('the database', other, (before + now()) / 2)]
}

export function compareClocks(whose: string, other: number, own: number): Finding {
  const difference = Math.abs(other - own)
  const text = `The clock of ${whose} differs by ${(difference / 1_000).toFixed(1)} s.`
  if (difference > LARGE_MS) return failed('clock', text, ADVICE)
  return difference > SMALL_MS ? warning('clock', text, ADVICE) : ok('clock', text)
}
