import assert from 'node:assert/strict'
import { once } from 'node:events'
import { get, type IncomingMessage } from 'node:http'
import { after, before, describe, test } from 'node:test'
import { setImmediate } from 'node:timers/promises'
import type { Value } from '../../../src/platform/store/database.ts'
import type { RequestLine, RequestList, RequestRecord } from '../../../src/contract/admin/requests.ts'
import { failure, status } from '../../fakes/behaviours.ts'
import { textEvents } from '../../fakes/openai-events.ts'
import { stream } from '../../fakes/stream.ts'
import { type AdminClient, adminClient, type Refusal } from '../../gateway/admin-client.ts'
import { ASK } from '../../gateway/chat-client.ts'
import { ADMIN_KEY } from '../../gateway/gateway-under-test.ts'
import { type GatewayWithFakes, OPENAI_KEY, startGatewayWithFakes } from '../../gateway/gateway-with-fakes.ts'

const WITH_FALLBACK = { ...ASK, fallbacks: ['fake/priced'] }

describe('the request log', () => {
  let fakes: GatewayWithFakes
  let admin: AdminClient
  before(async () => {
    fakes = await startGatewayWithFakes()
    admin = adminClient(fakes.gateway.adminUrl)
  })
  after(() => fakes.close())

  test('says which attempt failed and why, with the ids of the providers, and what the answer cost', async () => {
    const reason = `no capacity for ${OPENAI_KEY}`
    fakes.openai.next(failure(500, { message: reason }, { 'x-request-id': 'up-500' }))
    fakes.fake.next(status(200, COMPLETION, { 'x-request-id': 'up-200' }))
    await fakes.chat.whole(
      { ...WITH_FALLBACK, user: 'mia', seed: 3 },
      { headers: { 'x-request-id': 'mine-1', 'x-gatehouse-tags': 'team=search' } },
    )
    const record = await show('mine-1')
    const { attempt_list: attempts, cost_components: parts } = record
    assert.match(record.id, /^mine-1\.req_/)
    assert.deepEqual(
      [record.requested_model, record.model, record.provider, record.fallback, record.attempts],
      ['openai/gpt-4o-mini', 'fake/priced', 'fake', true, 2],
    )
    assert.deepEqual([record.end_user, record.tags, record.key_name], ['mia', { team: 'search' }, 'GATEHOUSE_API_KEY'])
    assert.deepEqual([record.project, record.organization, record.status], ['default', 'default', 200])
    assert.deepEqual(
      attempts.map(({ model, outcome, status, upstream_id }) => [model, outcome, status, upstream_id]),
      [
        ['openai/gpt-4o-mini', 'server_error', 500, 'up-500'],
        ['fake/priced', 'answered', 200, 'up-200'],
      ],
    )
    assert.deepEqual(record.upstream_ids, ['up-500', 'up-200'])
    assert.match(attempts[0]!.reason!, /no capacity/)
    assert.ok(!JSON.stringify(record).includes(OPENAI_KEY), 'a secret of the operator is in the log')
    for (const { first_byte_ms: first, duration_ms: whole } of attempts) assert.ok(first! > 0 && first! <= whole + 1)
    assert.ok(attempts.every(({ connect_ms }) => connect_ms === null || connect_ms > 0))
    // 1 and 2 USD for a million tokens.
    assert.deepEqual(parts, { input: 0.00001, output: 0.00001 })
    assert.equal(record.cost, 0.00002)
    assert.deepEqual(record.limits, [])
  })

  test('has the whole time of a stream, and how it broke off', async () => {
    const events = textEvents('Hello there', { model: 'gpt-4o-mini' })
    fakes.openai.next(stream(events.slice(0, 2), { end: 'fin', headers: { 'x-request-id': 'up-cut' } }))
    await fakes.chat.stream(ASK, { headers: { 'x-request-id': 'mine-2' } })
    const { attempt_list: attempts, code, stream: streamed } = await show('mine-2')
    assert.deepEqual([code !== null, streamed], [true, true])
    assert.deepEqual([attempts[0]!.outcome, attempts[0]!.upstream_id], ['reset', 'up-cut'])
    assert.match(attempts[0]!.reason!, /closed the connection|broke off/)
  })

  test('has notes and hooks with their times', async () => {
    const pre_hooks = [{ action: 'redact_pii', params: {} }]
    const asked = { ...ASK, pre_hooks, messages: [{ role: 'user', content: 'Write to a@example.com' }] }
    const reply = await fakes.chat.whole(asked, { headers: { 'x-request-id': 'mine-3' } })
    assert.equal(reply.status, 200, reply.text)
    const record = await show('mine-3')
    const [hook] = record.hooks
    assert.deepEqual([hook?.action, hook?.phase, hook?.changed], ['redact_pii', 'pre', true])
    assert.ok(!JSON.stringify(record).includes('a@example.com'), 'content is in the log')
  })

  test('is filtered, comes in pages, and a filter with a typo is refused', async () => {
    const all = await list('')
    assert.ok(all.items.length >= 3)
    const moments = all.items.map(({ at }) => at)
    assert.deepEqual(moments, moments.toSorted().reverse())
    assert.deepEqual(idsOf(await list('fallback=true&tag=team%3Dsearch')), ['mine-1'])
    assert.deepEqual(idsOf(await list('upstream_id=up-cut')), ['mine-2'])
    assert.deepEqual(idsOf(await list('end_user=mia&status=200&provider=fake&min_cost=0.00002&max_cost=0.00002')), [
      'mine-1',
    ])
    assert.deepEqual(idsOf(await list('failed=true')), ['mine-2'])
    assert.deepEqual(idsOf(await list('project=other')), [])
    const first = await list('limit=1')
    const second = await list(`limit=1&cursor=${first.next_cursor}`)
    assert.deepEqual([first.items[0], second.items[0]], [all.items[0], all.items[1]])
    for (const [query, field] of [
      ['modell=x', 'modell'],
      ['cursor=abc', 'cursor'],
      ['from=soon', 'from'],
      ['format=xml', 'format'],
      ['status=200,500', 'status'],
    ] as const) {
      const { status, body } = await admin.get<Refusal>(`/admin/requests?${query}`)
      assert.deepEqual([status, body.detail[0]!.loc], [422, ['query', field]], query)
    }
    assert.equal((await admin.get('/admin/requests/unknown')).status, 404)
  })

  test('is exported over the whole filter, as JSON lines and as a table', async () => {
    const { items } = await list('')
    const lines = (await text('format=jsonl')).trimEnd().split('\n')
    assert.deepEqual(
      lines.map((line) => JSON.parse(line) as RequestLine),
      items,
    )
    const table = (await text('format=csv&fallback=true')).split('\r\n')
    assert.equal(table.length, 3)
    assert.match(table[0]!, /^id,at,organization,project,.*,tags,upstream_ids$/)
    assert.match(table[1]!, /^mine-1\.req_.*"\{""team"":""search""\}",up-500 up-200$/)
  })

  test('an export reads no faster than its client, however much there is', async () => {
    const { db } = fakes.gateway.gateway.services.calls
    const report = db.report.bind(db)
    let reads = 0
    // A request log without an end: each page is full.
    db.report = async <Row>(sql: string, values?: readonly Value[]) => {
      const rows = await report<Row>(sql, values)
      if (!sql.includes('FROM usage') || rows.length === 0) return rows
      reads++
      return Array.from({ length: 501 }, () => rows[0]!)
    }
    const leaving = new AbortController()
    const url = `${fakes.gateway.adminUrl}/admin/requests?format=jsonl`
    const headers = { authorization: `Bearer ${ADMIN_KEY}` }
    const [response] = (await once(get(url, { headers, signal: leaving.signal }), 'response')) as [IncomingMessage]
    response.on('error', () => {})
    for (let turns = 0; turns < 5_000; turns++) await setImmediate()
    const filled = reads
    assert.ok(filled < 200, `${filled} pages were read for a client that reads nothing`)
    leaving.abort()
    if (!response.closed) await new Promise((resolve) => response.once('close', resolve))
    db.report = report
  })

  async function show(id: string): Promise<RequestRecord> {
    const { status, body, text } = await admin.get<RequestRecord>(`/admin/requests/${id}`)
    assert.equal(status, 200, text)
    return body
  }

  async function list(query: string): Promise<RequestList> {
    const { status, body, text } = await admin.get<RequestList>(`/admin/requests?${query}`)
    assert.equal(status, 200, text)
    return body
  }

  async function text(query: string): Promise<string> {
    const url = `${fakes.gateway.adminUrl}/admin/requests?${query}`
    return await (await fetch(url, { headers: { authorization: `Bearer ${ADMIN_KEY}` } })).text()
  }
})

const COMPLETION = {
  id: 'c',
  object: 'chat.completion',
  created: 1,
  model: 'priced',
  choices: [{ index: 0, message: { role: 'assistant', content: 'Hello.' }, finish_reason: 'stop', logprobs: null }],
  usage: { prompt_tokens: 10, completion_tokens: 5, total_tokens: 15 },
}

function idsOf({ items }: RequestList): string[] {
  return items.map(({ id }) => id.split('.')[0]!)
}
