import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import type { RequestLine, RequestList, RequestRecord } from '../../../src/contract/admin/requests.ts'
import { insertManyLines, MONTH_MS } from '../../fakes/many-lines.ts'
import { storeKinds } from '../../fakes/stores.ts'
import { type AdminClient, adminClient } from '../../gateway/admin-client.ts'
import { chatClient, HELLO } from '../../gateway/chat-client.ts'
import { ADMIN_KEY, type GatewayUnderTest, startGateway } from '../../gateway/gateway-under-test.ts'

// Exports of the request log have everything that passes the filter, also if whole pages of it have nothing, and what a single
// call has touched.

const LINES = 21_000
/** Of these, three pages of an export are taken. */
const OLDEST = 1_200

for (const { name, skip, newStore } of await storeKinds())
  describe(`exports of a long request log on ${name}`, { skip }, () => {
    let gateway: GatewayUnderTest
    let admin: AdminClient
    let newest: number
    const closing = new AsyncDisposableStack()
    before(async () => {
      gateway = await startGateway({ newStore })
      closing.defer(() => gateway.close())
      admin = adminClient(gateway.adminUrl)
      const { db, now } = gateway.gateway.services.calls
      newest = now() - 60_000
      await insertManyLines(db, LINES, newest)
    })
    after(() => closing.disposeAsync())

    test('a call behind 20,000 others that do not fit is in both formats, and on a later page of the list', async () => {
      const query = 'model=rare%20model'
      const { body } = await admin.get<RequestList>(`/admin/requests?${query}`)
      assert.deepEqual([body.items.length, body.next_cursor === null], [0, false])
      assert.deepEqual(
        (await lines(`${query}&format=jsonl`)).map((line) => (JSON.parse(line) as RequestLine).id),
        ['line-3'],
      )
      const [head, row, ...more] = await lines(`${query}&format=csv`)
      assert.deepEqual([head!.startsWith('id,at,'), row!.startsWith('line-3,'), more], [true, true, []])
    })

    test('many pages are one export, newest first, each call once', async () => {
      const end = new Date(newest - Math.floor(MONTH_MS / LINES) * (LINES - OLDEST) + 1).toISOString()
      const query = `key=old%20key&to=${end}`
      const found = await lines(`${query}&format=jsonl`)
      const ids = found.map((line) => Number((JSON.parse(line) as RequestLine).id.replace('line-', '')))
      // All of the oldest, except for the rare one.
      const expected = Array.from({ length: OLDEST }, (_, index) => OLDEST - index).filter((id) => id !== 3)
      assert.deepEqual(ids, expected)
      assert.equal((await lines(`${query}&format=csv`)).length, expected.length + 1)
    })

    test('a call says which limits it has touched, and what of them it has used', async () => {
      const limit = { applies_to: 'all', limit: 1_000, window: 'day' }
      await admin.post('/admin/budgets', { id: 'all-money', ...limit })
      await admin.post('/admin/rate-limits', { id: 'all-requests', ...limit, unit: 'requests' })
      const { headers } = await chatClient(gateway.url).whole({ model: 'sandbox/echo', ...HELLO })
      await gateway.gateway.services.calls.ledger.flush()
      const { body } = await admin.get<RequestRecord>(`/admin/requests/${headers.get('x-request-id')}`)
      assert.deepEqual(body.limits.toSorted(byId), [
        { limit_id: 'all-money', unit: 'usd', used: body.cost },
        { limit_id: 'all-requests', unit: 'requests', used: 1 },
      ])
      await admin.post('/admin/rate-limits', { id: 'none', ...limit, limit: 1, window: 'total', unit: 'input_tokens' })
      const refused = await chatClient(gateway.url).whole({ model: 'sandbox/echo', ...HELLO })
      assert.equal(refused.status, 429)
      await gateway.gateway.services.calls.ledger.flush()
      const { body: record } = await admin.get<RequestRecord>(`/admin/requests/${refused.headers.get('x-request-id')}`)
      assert.deepEqual(
        record.limits.filter(({ limit_id }) => limit_id === 'none'),
        [{ limit_id: 'none', unit: 'input_tokens', used: 0 }],
      )
    })

    async function lines(query: string): Promise<string[]> {
      const headers = { authorization: `Bearer ${ADMIN_KEY}` }
      const answer = await fetch(`${gateway.adminUrl}/admin/requests?${query}`, { headers })
      assert.equal(answer.status, 200)
      return (await answer.text()).trimEnd().split(/\r?\n/)
    }
  })

type Limit = RequestRecord['limits'][number]

function byId(one: Limit, other: Limit): number {
  return one.limit_id < other.limit_id ? -1 : 1
}
