import assert from 'node:assert/strict'
import { after, describe, test } from 'node:test'
import fc from 'fast-check'
import pg from 'pg'
import { ledgerLine } from '../../../../test/fakes/ledger-line.ts'
import { storeKinds } from '../../../../test/fakes/stores.ts'
import { sample } from '../../../../test/soak/sample.ts'
import { type Database, type Statement, StoreUnavailable } from '../database.ts'
import { insertions, insertUsage } from './usage.ts'
import { completeFrom, expireLines } from './expire-lines.ts'
import { spendOfKeys } from './key-spend.ts'
import type { LedgerLine } from './ledger-line.ts'
import { toNanos } from './money.ts'
import { createPartitions, dropPartitions } from './partitions.ts'
import { rollUpAll, rollUpSlice, slice } from './roll-up-batches.ts'
import { sumSeries, sumUsage } from './sum-usage.ts'
import type { UsageGroup } from './usage-group.ts'
import { DAY_MS, HOUR_MS } from '../../../base/units/units.ts'

// Every report is the sum of all lines that were ever committed, in every order of these events: writers commit late or die,
// slices of roll-ups run beside each other and beside reports, or die, and lines are removed.

const MONTH = Date.UTC(2026, 9, 1)
const NEXT_MONTH = Date.UTC(2026, 10, 1)
/** Lines are in two months, of which one may have a partition that is dropped. */
const START = NEXT_MONTH - 2 * DAY_MS
const DAYS = 4
const END = START + DAYS * DAY_MS

const GROUPS: Partial<Record<UsageGroup, (line: LedgerLine) => string>> = {
  key: ({ keyId }) => keyId,
  model: ({ model }) => model,
  end_user: ({ endUser }) => endUser ?? '',
  'tag:team': ({ tags }) => tags?.team ?? '',
  hour: ({ at }) => `${new Date(at).toISOString().slice(0, 13)}:00Z`,
  day: ({ at }) => new Date(at).toISOString().slice(0, 10),
}
const BY = Object.keys(GROUPS) as UsageGroup[]

const time = fc
  .record({ hour: fc.nat(DAYS * 24 - 1), offset: fc.oneof(fc.constantFrom(0, 1), fc.nat(HOUR_MS - 1)) })
  .map(({ hour, offset }) => START + hour * HOUR_MS + offset)
const line = fc.record({
  at: time,
  keyId: fc.constantFrom('k1', 'k2'),
  model: fc.constantFrom('m1', 'm2'),
  endUser: fc.constantFrom(null, 'e1'),
  tags: fc.constantFrom<LedgerLine['tags']>(null, { team: 'a' }),
  promptTokens: fc.nat(1_000),
  cost: fc.oneof(fc.constant(null), fc.double({ min: 0, max: 2, noNaN: true })),
})
const lines = fc.array(line, { minLength: 1, maxLength: 12 })
type Parts = Partial<LedgerLine>

/** What happens, and the reports that are asked for meanwhile and afterwards. */
const step = fc.record({
  what: fc.oneof(
    fc.record({ kind: fc.constantFrom('insert' as const, 'slow' as const), lines, again: fc.boolean() }),
    fc.record({ kind: fc.constantFrom('commit' as const, 'kill' as const, 'slices' as const, 'partition' as const) }),
    fc.record({
      kind: fc.constantFrom('held' as const, 'undone' as const),
      size: fc.integer({ min: 1, max: 15 }),
      lines,
    }),
    fc.record({ kind: fc.constant('retain' as const), hour: fc.nat(DAYS * 24), rolled: fc.boolean() }),
  ),
  asked: fc.record({ from: time, to: time, groupBy: fc.constantFrom(...BY) }),
})
type Step = typeof step extends fc.Arbitrary<infer T> ? T : never

for (const kind of await storeKinds()) {
  describe(`lines, roll-ups, retention and reports beside each other on ${kind.name}`, {
    skip: kind.skip,
  }, async () => {
    if (kind.skip) return
    const store = await kind.newStore()
    const [one, other] = [await store.open(), await store.open()]
    after(async () => {
      await Promise.all([one.close(), other.close()])
      await store.remove()
    })

    test('every report is the sum of the lines that were ever written', async () => {
      await fc.assert(
        fc.asyncProperty(fc.array(step, { minLength: 15, maxLength: 30 }), async (steps) => {
          await using ledger = await newLedger(one, other, store.databaseUrl)
          for (const { what, asked } of steps) {
            await Promise.all([ledger.happens(what), ...(changesTotals(what) ? [] : [ledger.check(asked)])])
            await ledger.check(asked)
          }
          await ledger.end()
        }),
        { numRuns: sample(3, 150), endOnFailure: true },
      )
    })
  })
}

/** Reports that are asked for while lines are inserted may have them or not. */
function changesTotals({ kind }: Step['what']): boolean {
  return kind === 'insert' || kind === 'slow' || kind === 'commit' || kind === 'held' || kind === 'undone'
}

let number = 0

async function newLedger(one: Database, other: Database, databaseUrl: string | undefined) {
  await one.transaction(
    ['usage', 'usage_rollups', 'unrolled_batches', 'settings'].map((table) => ({ sql: `DELETE FROM ${table}` })),
  )
  const written: LedgerLine[] = []
  /** Transactions that have inserted their lines and are not committed yet. */
  const slow: { lines: LedgerLine[]; held: Held }[] = []
  const isPostgres = one.kind === 'postgres'
  return { happens, check, end, [Symbol.asyncDispose]: async () => void (await killAll()) }

  async function happens(what: Step['what']): Promise<void> {
    switch (what.kind) {
      case 'insert':
        return await insert(what.lines, what.again)
      case 'slow':
        if (!isPostgres || slow.length > 1) return await insert(what.lines, what.again)
        return await insertSlowly(what.lines)
      case 'commit': {
        const first = slow.shift()
        await first?.held.release()
        written.push(...(first?.lines ?? []))
        return
      }
      case 'kill':
        return await slow.shift()?.held.kill()
      case 'slices':
        await Promise.all([rollUpSlice(one), rollUpSlice(other)])
        return
      case 'held':
        return await rollUpHeld(what.size, what.lines)
      case 'undone':
        await one.transaction([...slice(one.kind, what.size), UNDO])
        return await insert(what.lines, false)
      case 'retain':
        return await retain(START + what.hour * HOUR_MS, what.rolled)
      case 'partition':
        if (isPostgres) await createPartitions(one, MONTH).catch(unlessLocked)
    }
  }

  async function insert(parts: Parts[], again: boolean): Promise<void> {
    const fresh = parts.map(newLine)
    // A line that was removed is not known any more.
    const complete = await completeFrom(one)
    const repeated = again ? written.filter(({ at }) => at >= complete).slice(-3) : []
    await insertUsage(other, [...repeated, ...fresh, ...fresh.slice(0, 2)])
    written.push(...fresh)
  }

  async function insertSlowly(parts: Parts[]): Promise<void> {
    const fresh = parts.map(newLine)
    slow.push({ lines: fresh, held: await hold(one, insertions(one, fresh), databaseUrl!) })
  }

  /** Others read and write while a slice is done but not committed; in the end it is committed, or its process dies. */
  async function rollUpHeld(size: number, parts: Parts[]): Promise<void> {
    if (!isPostgres) return void (await one.transaction(slice(one.kind, size)))
    const held = await hold(one, slice(one.kind, size), databaseUrl!)
    await insert(parts, true)
    await check({ from: START, to: END, groupBy: 'key' })
    await (size % 3 === 0 ? held.kill() : held.release())
  }

  async function retain(before: number, isRolledUp: boolean): Promise<void> {
    if (isRolledUp) await rollUpAll(other)
    if (isPostgres && before >= NEXT_MONTH) await dropPartitions(one, before).catch(unlessLocked)
    while ((await expireLines(one, { before, limit: 5 })) === 5);
  }

  /** A report, or a transaction that is not committed, keeps its lock; then nothing is changed. */
  function unlessLocked(error: unknown): void {
    if (!(error instanceof StoreUnavailable)) throw error
  }

  async function check({ from, to, groupBy }: Step['asked']): Promise<void> {
    for (const range of [order(from, to), { from: START, to: END }]) {
      const report = await sumUsage(other, { ...range, groupBy, now: END })
      const groups = expected(written, report, GROUPS[groupBy]!)
      const found = report.sums.map(({ group, requests, promptTokens, costNanos }) => [
        group,
        { requests, promptTokens, costNanos },
      ])
      assert.deepEqual(Object.fromEntries(found), groups)
    }
    const spent = await spendOfKeys(other, ['k1', 'k2'], { from: NEXT_MONTH })
    const ofKeys = expected(written, { from: NEXT_MONTH, to: END }, GROUPS.key!)
    assert.deepEqual(
      Object.fromEntries([...spent].map(([key, { requests }]) => [key, requests])),
      Object.fromEntries(Object.entries(ofKeys).map(([key, { requests }]) => [key, requests])),
    )
    const series = await sumSeries(other, {
      from: START,
      to: END,
      groupBy: 'key',
      groups: ['k1'],
      over: 'day',
      now: END,
    })
    assert.equal(
      series.reduce((sum, { requests }) => sum + requests, 0),
      written.filter(({ keyId }) => keyId === 'k1').length,
    )
  }

  /** In the end everything is rolled up, and the roll-ups alone are the sums. */
  async function end(): Promise<void> {
    while (slow.length > 0) await happens({ kind: 'commit' })
    await rollUpAll(one)
    await check({ from: START, to: END, groupBy: 'key' })
    const sql =
      "SELECT CAST(SUM(requests) AS BIGINT) AS requests FROM usage_rollups WHERE step = $1 AND dimension = 'model'"
    for (const step of ['hour', 'day', 'week'])
      assert.equal((await one.query<{ requests: number | null }>(sql, [step]))[0]!.requests ?? 0, written.length, step)
  }

  async function killAll(): Promise<void> {
    for (const { held } of slow.splice(0)) await held.kill()
  }
}

/** Ends its transaction without keeping anything of it. */
const UNDO: Statement = { sql: 'SELECT 1 AS none WHERE 1 = 0', required: true }

function newLine(parts: Parts): LedgerLine {
  return ledgerLine({ id: `line-${number++}`, ...parts })
}

function order(one: number, other: number) {
  return { from: Math.min(one, other), to: Math.max(one, other) }
}

function expected(
  written: LedgerLine[],
  { from, to }: { from: number; to: number },
  groupOf: (line: LedgerLine) => string,
) {
  const groups = Object.groupBy(
    written.filter(({ at }) => at >= from && at < to),
    groupOf,
  )
  return Object.fromEntries(
    Object.entries(groups).map(([group, lines = []]) => [
      group,
      {
        requests: lines.length,
        promptTokens: lines.reduce((sum, { promptTokens }) => sum + promptTokens, 0),
        costNanos: lines.reduce((sum, { cost }) => sum + BigInt(toNanos(cost) ?? 0), 0n),
      },
    ]),
  )
}

type Held = { release(): Promise<void>; kill(): Promise<void> }

/** Runs statements in a transaction that does not end before it is released. Killing it ends its connection at the server. */
async function hold(db: Database, statements: Statement[], databaseUrl: string): Promise<Held> {
  const lock = ++number
  const blocker = new pg.Client({ connectionString: databaseUrl })
  await blocker.connect()
  await blocker.query('BEGIN')
  await blocker.query('SELECT pg_advisory_xact_lock($1)', [lock])
  const running = db.transaction([...statements, { sql: 'SELECT pg_advisory_xact_lock($1)', values: [lock] }])
  const ended = running.then(
    () => 'committed',
    () => 'killed',
  )
  const waiting = "SELECT pid FROM pg_locks WHERE locktype = 'advisory' AND NOT granted AND objid = $1"
  let pid: number | undefined
  while (pid === undefined) pid = (await blocker.query<{ pid: number }>(waiting, [lock])).rows[0]?.pid
  return {
    release: async () => {
      await blocker.query('COMMIT')
      assert.equal(await ended, 'committed')
      await blocker.end()
    },
    kill: async () => {
      await blocker.query('SELECT pg_terminate_backend($1)', [pid])
      assert.equal(await ended, 'killed')
      await blocker.end()
    },
  }
}
