import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import type { UniversalJobList } from '../../src/contract/universal.ts'
import { adminClient } from './admin-client.ts'
import { type GatewayUnderTest, startGateway } from './gateway-under-test.ts'
import { type TaskClient, taskClient } from './task-client.ts'

const JOB = { model: 'text/moderation/sandbox', input: { text: 'Hello' } }
const PATH = '/v3/universal-ai/async'
const AT_ONCE = 50

describe('jobs with an Idempotency-Key', () => {
  let gateway: GatewayUnderTest
  let client: TaskClient
  let numbers = 0
  before(async () => {
    gateway = await startGateway()
    client = taskClient(gateway.url)
  })
  after(() => gateway?.close())

  test('the same again is the same job', async () => {
    const headers = newKey()
    const first = await client.submit(JOB, headers)
    const ended = await client.ended(first.body.public_id)
    const again = await client.submit(JOB, headers)
    assert.deepEqual([first.status, again.status], [202, 202])
    assert.deepEqual(again.body, ended)
  })

  test('another body under the same key is a conflict', async () => {
    const headers = newKey()
    await client.submit(JOB, headers)
    for (const body of [
      { ...JOB, input: { text: 'Bye' } },
      { ...JOB, fallbacks: ['sandbox'] },
    ]) {
      const { status, body: refusal } = await client.submit(body, headers)
      assert.deepEqual([status, refusal.error.code], [409, 'conflict'])
    }
  })

  test('what was refused takes no key', async () => {
    const headers = newKey()
    assert.equal((await client.submit({ ...JOB, input: {} }, headers)).status, 422)
    assert.equal((await client.submit(JOB, headers)).status, 202)
  })

  test(`${AT_ONCE} at once are one job`, async () => {
    const before = await total()
    const headers = newKey()
    const replies = await Promise.all(Array.from({ length: AT_ONCE }, () => client.submit(JOB, headers)))
    assert.ok(replies.every(({ status }) => status === 202))
    assert.equal(new Set(replies.map(({ body }) => body.public_id)).size, 1)
    assert.equal(await total(), before + 1)
    const lines = await linesOf(replies[0]!.body.public_id)
    assert.equal(lines, 1)
  })

  test('without a key every one is a job of its own', async () => {
    const replies = await Promise.all(Array.from({ length: 5 }, () => client.submit(JOB)))
    assert.equal(new Set(replies.map(({ body }) => body.public_id)).size, 5)
  })

  test('a key is one owner’s', async () => {
    const headers = newKey()
    const mine = await client.submit(JOB, headers)
    const stranger = taskClient(gateway.url, (await adminClient(gateway.adminUrl).issue()).key)
    const theirs = await stranger.submit({ ...JOB, input: { text: 'Bye' } }, headers)
    assert.equal(theirs.status, 202)
    assert.notEqual(theirs.body.public_id, mine.body.public_id)
    const partner = taskClient(gateway.url, (await adminClient(gateway.adminUrl).issue({ owner: 'default' })).key)
    assert.equal((await partner.submit(JOB, headers)).body.public_id, mine.body.public_id)
  })

  test('a key of no or too many characters is refused', async () => {
    assert.equal((await client.submit(JOB, { 'idempotency-key': 'x'.repeat(255) })).status, 202)
    for (const key of ['', 'x'.repeat(256)]) {
      const { status, body } = await client.submit(JOB, { 'idempotency-key': key })
      assert.deepEqual([status, body.detail[0]!.loc], [422, ['header', 'idempotency-key']])
    }
  })

  test('a deleted job’s key may be used again', async () => {
    const headers = newKey()
    const { public_id } = (await client.submit(JOB, headers)).body
    await client.ended(public_id)
    await client.delete(`${PATH}/${public_id}`)
    const { status, body } = await client.submit({ ...JOB, input: { text: 'Bye' } }, headers)
    assert.equal(status, 202)
    assert.notEqual(body.public_id, public_id)
  })

  /** How many lines the ledger has for a job that has ended. */
  async function linesOf(id: string): Promise<number> {
    await client.ended(id)
    const { ledger, keyDesk } = gateway.gateway.outside
    await ledger.flush()
    const rows = await keyDesk.db.query('SELECT id FROM usage WHERE id = $1', [id])
    return rows.length
  }

  async function total(): Promise<number> {
    return (await client.get<UniversalJobList>(PATH)).body.total
  }

  function newKey() {
    return { 'idempotency-key': `key-${++numbers}` }
  }
})
