import { GATEWAY, insertLines, type LineAnswer, storeAnswers } from '../../platform/store/batches/batch-lines.ts'
import {
  beginAsking,
  beginFinalizing,
  claimBatches,
  type ClaimedBatch,
  endBatch,
} from '../../platform/store/batches/batch-runs.ts'
import { type BatchEnding, insertBatch } from '../../platform/store/batches/batches.ts'
import { atMoment } from '../../platform/store/clock/at-moment.ts'
import { touchKeys } from '../../platform/store/keys/keys.ts'
import type { LedgerLine } from '../../platform/store/ledger/ledger-line.ts'
import { insertUsage } from '../../platform/store/ledger/usage.ts'
import { ownerIn } from '../../platform/store/owner.ts'
import { toCaller } from '../../tenants/access/cached-key.ts'
import { DAY_MS, HOUR_MS, SECOND_MS } from '../../base/units/units.ts'
import { openCharged } from './calls.ts'
import type { Demo } from './demo.ts'
import { ANSWERED, OVERLONG } from './outcomes.ts'
import { type Source, SOURCES } from './traffic.ts'

/** `asked`: how many of its lines were asked before it ended. */
type DemoBatch = { name: string; key: string; total: number; asked: number; ending: BatchEnding; daysAgo: number }

/** Batches that have ended: a gateway that is started on the demo would ask the lines of others. */
const BATCHES: readonly DemoBatch[] = [
  { name: 'evaluation of November', key: 'search evaluation', total: 48, asked: 48, ending: 'completed', daysAgo: 5.2 },
  { name: 'contracts of 2025', key: 'contract review', total: 64, asked: 64, ending: 'completed', daysAgo: 3.6 },
  { name: 'contracts of 2024', key: 'contract review', total: 80, asked: 23, ending: 'cancelled', daysAgo: 2.1 },
  { name: 'evaluation, again', key: 'search evaluation', total: 36, asked: 36, ending: 'completed', daysAgo: 0.4 },
]
const TOO_LONG_SHARE = 0.05
const WORKER = { worker: 'demo', leaseMs: DAY_MS, limit: 1 }

export async function addBatches(demo: Demo): Promise<number> {
  const charged = await openCharged(demo)
  const shown = BATCHES.filter(({ daysAgo }) => demo.to - daysAgo * DAY_MS > demo.from + DAY_MS)
  for (const batch of shown) {
    const at = demo.to - batch.daysAgo * DAY_MS
    const source = SOURCES.find(({ key }) => key === batch.key)!
    const begun = await begin(demo, batch, at)
    const lines = Array.from({ length: batch.asked }, (_, index) => {
      const outcome = demo.random.isTrue(TOO_LONG_SHARE) ? OVERLONG : ANSWERED
      return charged({ source: inBatches(source), outcome, at: at + (index + 2) * 40 * SECOND_MS, batch: begun.id })
    })
    await insertUsage(demo.db, lines)
    await end(demo, begun, { ending: batch.ending, lines })
    await touchKeys(demo.db, [{ id: demo.keys.get(batch.key)!.id, at: Math.round(lines.at(-1)!.at) }])
  }
  return shown.length
}

/** Lines of batches are not streamed. */
function inBatches(source: Source): Source {
  return { ...source, streams: 0 }
}

/** Submits a batch and begins with its lines. No other batch waits, so it is the one that is claimed. */
async function begin(demo: Demo, { name, key: keyName, total }: DemoBatch, at: number): Promise<ClaimedBatch> {
  const { db, random } = demo
  const key = demo.keys.get(keyName)!
  const request = { caller: toCaller(key), headers: {}, metadata: null, isInline: true, execution: 'auto' }
  const about = { ...ownerIn(key, key.ownerKind, key.ownerId), keyId: key.id, endUser: null, door: 'openai' as const }
  const what = { name, endpoint: '/v1/chat/completions', inputFile: random.uuid(), webhookUrl: null }
  await insertBatch(
    atMoment(db, at),
    { ...about, ...what, id: random.uuid(), request, windowMs: 24 * HOUR_MS, total },
    1,
  )
  const begunAt = atMoment(db, at + 2 * SECOND_MS)
  const [claimed] = await claimBatches(begunAt, WORKER)
  const places = Array.from({ length: total }, (_, number) => ({
    number,
    customId: `line-${number + 1}`,
    begins: number * 1_000,
    length: 1_000,
  }))
  await insertLines(begunAt, claimed!, places, GATEWAY)
  await beginAsking(begunAt, claimed!, total)
  return claimed!
}

type Ended = { ending: BatchEnding; lines: readonly LedgerLine[] }

/** The answers of the demo are not kept, as if their time were over. */
async function end({ db, random }: Demo, batch: ClaimedBatch, { ending, lines }: Ended): Promise<void> {
  const endedAt = atMoment(db, lines.at(-1)!.at + 30 * SECOND_MS)
  const answers = lines.map(({ status, id }, number): LineAnswer => {
    return { number, outcome: status === 200 ? 'succeeded' : 'errored', status, requestId: id, answer: '{}' }
  })
  await storeAnswers(endedAt, batch, answers, { counts: true })
  await beginFinalizing(endedAt, batch, { ending, outputFile: random.uuid(), errorFile: random.uuid() })
  await endBatch(endedAt, batch, { ending, outputFile: null, errorFile: null }, undefined)
}
