import assert from 'node:assert/strict'
import { after, before, beforeEach, describe, test } from 'node:test'
import { storedBytesOf } from '../../../src/platform/store/owner-scans.ts'
import { storeKinds } from '../../fakes/stores.ts'
import { API_KEY, type GatewayUnderTest, startGateway } from '../../gateway/gateway-under-test.ts'
import { KB } from '../../../src/base/units/units.ts'

// What an owner can make the gateway keep: bytes of everything that is stored count together.

const QUOTA_KB = 2 * KB
const MODEL = 'sandbox/echo'

for (const { name, skip, newStore } of await storeKinds())
  describe(`what an owner stores, on ${name}`, { skip }, () => {
    let gateway: GatewayUnderTest
    /** Whose things these are. */
    let owner: string
    before(async () => {
      gateway = await startGateway({ newStore, env: { UPLOAD_QUOTA_MB: '2' }, overrides: { role: 'api' } })
      await send('POST', '/v3/conversations', {})
      const [row] = await gateway.gateway.services.calls.db.query<{ owner: string }>('SELECT owner FROM conversations')
      owner = row!.owner
    })
    beforeEach(async () => {
      for (const table of ['files', 'conversations', 'jobs'])
        await gateway.gateway.services.calls.db.query(`DELETE FROM ${table}`)
    })
    after(() => gateway.close())

    /** Every way to store something of about this size. */
    const STORES: Record<string, (chars: number) => Promise<Answer>> = {
      'an upload': (chars) => upload(chars),
      'a file': (chars) => upload(chars, '/v3/files'),
      'a stored response': (chars) => send('POST', '/v3/responses', { model: MODEL, input: text(chars), store: true }),
      'a response in the background': (chars) =>
        send('POST', '/v3/responses', { model: MODEL, input: text(chars), background: true }),
      'a job': (chars) =>
        send('POST', '/v3/universal-ai/async', { model: 'text/moderation/sandbox', input: { text: text(chars) } }),
      'a conversation': (chars) => send('POST', '/v3/conversations', { items: [message(chars)] }),
    }
    const SIZES = [600 * KB, 200 * KB, 60 * KB, 20 * KB, 6 * KB, 2 * KB, 600]

    for (const [kind, store] of Object.entries(STORES))
      test(`${kind} counts: an owner who has filled the quota with it can store nothing else, however small`, async () => {
        for (const chars of SIZES) while ((await store(chars)).status < 300);
        const stored = await storedBytesOf(gateway.gateway.services.calls.db, owner)
        assert.ok(stored <= QUOTA_KB * KB + 1200 * KB, `${stored}`)
        assert.ok(stored > (QUOTA_KB - 8) * KB, `${stored}`)
        for (const [other, storeOther] of Object.entries(STORES)) {
          const { status, body } = await storeOther(8 * KB)
          assert.equal(status, 413, `${other}: ${JSON.stringify(body)}`)
          assert.match(String(body.error?.message), /2 MB together.*DELETE \/v3\/files/, other)
        }
      })

    test('twelve calls with large inputs are refused when the quota is full, and one that did not ask for it says that it is not stored', async () => {
      const input = text(500 * KB)
      const statuses: number[] = []
      for (let calls = 0; calls < 12; calls++)
        statuses.push((await send('POST', '/v3/responses', { model: MODEL, input, store: true })).status)
      assert.equal(statuses[0], 200)
      assert.equal(statuses.at(-1), 413, String(statuses))
      // What was begun within the quota is stored with its answer.
      assert.ok((await storedBytesOf(gateway.gateway.services.calls.db, owner)) <= QUOTA_KB * KB + 1200 * KB)
      const unasked = await send('POST', '/v3/responses', { model: MODEL, input })
      assert.equal(unasked.status, 200)
      assert.equal(unasked.body.store, false)
    })

    test('a turn of a conversation and its items count, and are refused', async () => {
      const { id } = (await send('POST', '/v3/conversations', {})).body
      for (const chars of SIZES) while ((await upload(chars)).status < 300);
      const turn = await send('POST', '/v3/responses', { model: MODEL, input: text(8 * KB), conversation: id })
      assert.equal(turn.status, 413, JSON.stringify(turn.body))
      const added = await send('POST', `/v3/conversations/${id}/items`, { items: [message(8 * KB)] })
      assert.equal(added.status, 413, JSON.stringify(added.body))
      assert.match(String(added.body.error?.message), /2 MB together/)
    })

    test('what is deleted makes room again', async () => {
      const { id } = (await send('POST', '/v3/responses', { model: MODEL, input: text(800 * KB), background: true }))
        .body
      assert.equal((await upload(600 * KB)).status, 413)
      assert.equal((await send('DELETE', `/v3/responses/${id}`)).status, 200)
      assert.equal((await upload(600 * KB)).status, 200)
    })

    type Answer = { status: number; body: { id?: string; store?: boolean; error?: { message?: string } } }

    async function send(method: string, path: string, body?: object): Promise<Answer> {
      const headers = { authorization: `Bearer ${API_KEY}`, 'content-type': 'application/json' }
      const answer = await fetch(gateway.url + path, { method, headers, ...(body && { body: JSON.stringify(body) }) })
      return { status: answer.status, body: (await answer.json()) as Answer['body'] }
    }

    async function upload(chars: number, path = '/v3/upload'): Promise<Answer> {
      const form = new FormData()
      form.set('purpose', 'user_data')
      form.set('file', new Blob([text(chars)]), 'text.txt')
      const headers = { authorization: `Bearer ${API_KEY}` }
      const answer = await fetch(gateway.url + path, { method: 'POST', headers, body: form })
      return { status: answer.status, body: (await answer.json()) as Answer['body'] }
    }
  })

describe('what a job gives', () => {
  test('counts when it has ended, with the events of a stream', async () => {
    const gateway = await startGateway()
    const { db } = gateway.gateway.services.calls
    const headers = { authorization: `Bearer ${API_KEY}`, 'content-type': 'application/json' }
    const body = JSON.stringify({ model: MODEL, input: text(10 * KB), background: true, stream: true })
    await (await fetch(`${gateway.url}/v3/responses`, { method: 'POST', headers, body })).text()
    const [row] = await db.query<{ owner: string; bytes: number; kept: number }>(`SELECT owner, bytes,
      (SELECT octet_length(request) FROM job_requests WHERE job_id = jobs.id)
      + (SELECT octet_length(shell) FROM background_responses WHERE job_id = jobs.id)
      + (SELECT octet_length(output) FROM job_results WHERE job_id = jobs.id)
      + (SELECT SUM(octet_length(events)) FROM response_events WHERE job_id = jobs.id) AS kept FROM jobs`)
    assert.ok(row!.kept > 40 * KB)
    assert.equal(row!.bytes, row!.kept)
    assert.equal(await storedBytesOf(db, row!.owner), row!.kept)
    await gateway.close()
  })
})

function text(chars: number): string {
  return 'x'.repeat(chars)
}

function message(chars: number): object {
  return { type: 'message', role: 'user', content: [{ type: 'input_text', text: text(chars) }] }
}
