import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { onBothStores } from '../../../../test/fakes/stores.ts'
import { ledgerLine } from '../../../../test/fakes/ledger-line.ts'
import type { LineFilter } from '../ledger/line-filter.ts'
import { insertUsage } from '../ledger/usage.ts'
import type { LedgerLine } from '../ledger/ledger-line.ts'
import { findRequests, type RequestPage } from './find-requests.ts'

const FIRST: LedgerLine['detail'] = { a: [['m2', null, null, 'server_error', 500, 'up-1', null, 1, 2, 'it failed']] }

/** What was found may be called like a guardrail. */
const NAMED_ALIKE: LedgerLine['guardrails'] = [['words', 'flagged', 'external', 2, 'pii', '["pii","flagged",']]
const BOTH: LedgerLine['guardrails'] = [...NAMED_ALIKE, ['pii', 'flagged', 'personal_data', 1, 'email']]
const OTHERS: LedgerLine['guardrails'] = [['pii', 'blocked', 'secrets', 1]]

/** Each filter, and which of the lines below pass it. */
const FILTERS: [LineFilter, (line: LedgerLine) => boolean][] = [
  [{}, () => true],
  [{ project: 'p1' }, ({ project }) => project === 'p1'],
  [{ project: 'personal' }, ({ project }) => project === 'personal'],
  [{ organization: 'default' }, ({ organization }) => organization === 'default'],
  [{ key: 'k1' }, ({ keyId }) => keyId === 'k1'],
  [{ user: 'u1' }, ({ user }) => user === 'u1'],
  [{ endUser: 'e1' }, ({ endUser }) => endUser === 'e1'],
  [{ tag: { name: 'team', value: 'a' } }, ({ tags }) => tags?.team === 'a'],
  [{ requested_model: 'fast' }, ({ requestedModel }) => requestedModel === 'fast'],
  [{ model: 'm1', provider: 'provider', endpoint: 'chat' }, ({ model }) => model === 'm1'],
  [{ status: '5xx' }, ({ status }) => status >= 500],
  [{ exactStatus: 404 }, ({ status }) => status === 404],
  [{ exactStatus: 200, failed: true }, ({ status, code }) => status === 200 && code !== null],
  [{ code: 'cut' }, ({ code }) => code === 'cut'],
  [{ failed: true }, ({ status, code }) => status >= 400 || code !== null],
  [{ failed: false }, ({ status, code }) => status < 400 && code === null],
  [{ fallback: true }, ({ attempts, detail }) => attempts > 1 && detail === FIRST],
  [{ fallback: false }, ({ attempts, detail }) => !(attempts > 1 && detail === FIRST)],
  [{ minCost: 0.5 }, ({ cost }) => cost !== null && cost >= 0.5],
  [{ maxCost: 0.5 }, ({ cost }) => cost !== null && cost <= 0.5],
  [{ minDurationMs: 5, maxDurationMs: 50 }, ({ durationMs }) => durationMs >= 5 && durationMs <= 50],
  [{ guardrail: { id: 'pii' } }, ({ guardrails }) => guardrails === BOTH || guardrails === OTHERS],
  [{ guardrail: { id: 'pii', outcome: 'flagged' } }, ({ guardrails }) => guardrails === BOTH],
  [{ guardrail: { id: 'pii', outcome: 'passed' } }, ({ guardrailsPassed }) => guardrailsPassed?.[1] === 'pii'],
  [
    { guardrail: { id: 'pii', outcome: 'blocked' }, project: 'p1' },
    ({ guardrails, project }) => guardrails === OTHERS && project === 'p1',
  ],
  [{ upstreamId: 'up-1' }, ({ detail }) => detail === FIRST],
  [
    { key: 'k1', project: 'p1', failed: true },
    ({ keyId, project, status, code }) => keyId === 'k1' && project === 'p1' && (status >= 400 || code !== null),
  ],
]

const line = fc.record({
  at: fc.integer({ min: 1_000, max: 1_040 }),
  keyId: fc.constantFrom('k1', 'k2'),
  ownerId: fc.constantFrom('k1', 'o1'),
  project: fc.constantFrom('personal', 'p1', 'p2'),
  organization: fc.constantFrom('default', 'other'),
  user: fc.constantFrom(null, 'u1'),
  endUser: fc.constantFrom(null, 'e1', 'e2'),
  tags: fc.constantFrom<LedgerLine['tags']>(null, { team: 'a' }, { team: 'b', x: 'a' }),
  requestedModel: fc.constantFrom(null, 'fast'),
  model: fc.constantFrom('m1', 'm2', ''),
  status: fc.constantFrom(200, 200, 404, 502),
  code: fc.constantFrom(null, null, 'cut'),
  attempts: fc.constantFrom(1, 2),
  detail: fc.constantFrom<LedgerLine['detail']>(null, FIRST),
  guardrails: fc.constantFrom<LedgerLine['guardrails']>(null, NAMED_ALIKE, BOTH, OTHERS),
  guardrailsPassed: fc.constantFrom<LedgerLine['guardrailsPassed']>(null, ['pii2'], ['secrets', 'pii']),
  cost: fc.constantFrom(null, 0, 0.5, 1),
  durationMs: fc.constantFrom(1, 5, 50, 51),
})

await onBothStores('the request log', ({ one, other }) => {
  test('has the lines that pass a filter, newest first, on pages of any size', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(line, { minLength: 20, maxLength: 60 }), fc.integer({ min: 1, max: 20 }), check),
      { numRuns: 2 },
    )
  })

  async function check(parts: Partial<LedgerLine>[], limit: number) {
    await one.transaction([{ sql: 'DELETE FROM usage' }])
    const lines = parts.map((part, index) => ledgerLine({ id: `line-${index}`, ...part }))
    await insertUsage(one, lines)
    for (const [filter, passes] of FILTERS) {
      const expected = lines.filter((line) => line.at >= 1_003 && line.at < 1_038 && passes(line))
      const ids = expected.sort((a, b) => b.at - a.at || (a.id < b.id ? 1 : -1)).map(({ id }) => id)
      assert.deepEqual(await pages(filter, limit), ids, JSON.stringify(filter))
    }
  }

  async function pages(filter: LineFilter, limit: number): Promise<string[]> {
    const found: string[] = []
    for (let after: RequestPage['next']; ; ) {
      const page = await findRequests(other, { from: 1_003, to: 1_038, filter, limit, after })
      found.push(...page.lines.map(({ id }) => id))
      if (!page.next) return found
      after = page.next
    }
  }

  test('finds a call by its id and by the id that the caller gave it, and no other', async () => {
    await one.transaction([{ sql: 'DELETE FROM usage' }])
    const ids = ['mine', 'mine.req_1', 'mine.req_2', 'mine2', 'mine-3', 'Mine.req_4', 'other']
    await insertUsage(
      one,
      ids.map((id, index) => ledgerLine({ id, at: 1_010 + index })),
    )
    assert.deepEqual(await pages({ id: 'mine' }, 10), ['mine.req_2', 'mine.req_1', 'mine'])
    assert.deepEqual(await pages({ id: 'mine.req_1' }, 10), ['mine.req_1'])
    assert.deepEqual(await pages({ id: '%' }, 10), [])
  })

  test('looks at a limited number of lines for a page, and the next page goes on', async () => {
    await one.transaction([{ sql: 'DELETE FROM usage' }])
    const lines = Array.from({ length: 21_000 }, (_, index) =>
      ledgerLine({
        id: `l${index}`,
        at: 2_000 + index,
        model: index === 3 ? 'rare' : 'm',
        keyId: index < 4 ? 'k1' : 'k2',
      }),
    )
    await insertUsage(one, lines)
    const question = { from: 0, to: 100_000, filter: { model: 'rare' }, limit: 10 }
    const first = await findRequests(other, question)
    assert.deepEqual([first.lines.length, first.next], [0, { at: 2_000 + 1_000, id: 'l1000' }])
    const second = await findRequests(other, { ...question, after: first.next })
    assert.deepEqual([second.lines.map(({ id }) => id), second.next], [['l3'], undefined])
    const indexed = await findRequests(other, { ...question, filter: { model: 'rare', key: 'k1' } })
    assert.deepEqual([indexed.lines.length, indexed.next], [1, undefined])
  })
})
