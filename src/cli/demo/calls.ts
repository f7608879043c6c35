import { toCaller } from '../../tenants/access/cached-key.ts'
import { touchKeys } from '../../platform/store/keys/keys.ts'
import { insertUsage } from '../../platform/store/ledger/usage.ts'
import type { LedgerLine } from '../../platform/store/ledger/ledger-line.ts'
import { type Drawn, lineOf, modelsOf } from './call-line.ts'
import { openCharges } from './charges.ts'
import type { Demo } from './demo.ts'
import { BUDGET_SPENT, DURING_INCIDENT, OUTCOMES } from './outcomes.ts'
import { momentsOf, type Source, SOURCES } from './traffic.ts'
import { DAY_MS, HOUR_MS } from '../../base/units/units.ts'

const LINES_AT_ONCE = 1_000
/** How long before the end of the demo things went wrong. */
const INCIDENT = { provider: 'openai', beganDaysAgo: 6.6, hours: 3 }
const SPENT = { key: 'campaign texts', beganDaysAgo: 3.4, hours: 20 }
const REVOKED = { key: 'old integration', daysAgo: 9 }

export async function addCalls(demo: Demo): Promise<number> {
  const charged = await openCharged(demo)
  const lines = momentsOf(demo).map((at) => charged(draw(at, demo)))
  for (let at = 0; at < lines.length; at += LINES_AT_ONCE) {
    demo.made(at / lines.length)
    await insertUsage(demo.db, lines.slice(at, at + LINES_AT_ONCE))
  }
  await touchKeys(demo.db, lastUses(lines))
  return lines.length
}

/** Makes lines that are charged to the limits of the demo. */
export async function openCharged(demo: Demo): Promise<(drawn: Drawn) => LedgerLine> {
  const chargesOf = await openCharges(demo)
  return (drawn) => {
    const line = lineOf(drawn, demo)
    const { endpoint, endUser, session, tags } = line
    const caller = toCaller(demo.keys.get(drawn.source.key)!)
    return { ...line, charges: chargesOf(line, { caller, endpoint, labels: { endUser, session, tags } }) }
  }
}

function draw(at: number, { random, to }: Demo): Drawn {
  const isRevoked = at > to - REVOKED.daysAgo * DAY_MS
  const source = random.weighted(isRevoked ? SOURCES.filter(({ key }) => key !== REVOKED.key) : SOURCES)
  return { source, at, outcome: random.weighted(outcomesFor(source, to - at)) }
}

function outcomesFor(source: Source, agoMs: number) {
  if (source.key === SPENT.key && isDuring(SPENT, agoMs)) return [BUDGET_SPENT]
  const isHit = modelsOf(source.asks)[0]!.startsWith(`${INCIDENT.provider}/`)
  return isHit && isDuring(INCIDENT, agoMs) ? DURING_INCIDENT : OUTCOMES
}

function isDuring({ beganDaysAgo, hours }: { beganDaysAgo: number; hours: number }, agoMs: number): boolean {
  const sinceMs = beganDaysAgo * DAY_MS - agoMs
  return sinceMs >= 0 && sinceMs < hours * HOUR_MS
}

function lastUses(lines: readonly LedgerLine[]) {
  const uses = new Map(lines.map(({ keyId, at }) => [keyId, at]))
  return [...uses].map(([id, at]) => ({ id, at }))
}
