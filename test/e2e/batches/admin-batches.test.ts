import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { OpenAI } from 'openai'
import { withDashes } from '../../../src/base/schema/resource-id.ts'
import { answer } from '../../fakes/behaviours.ts'
import { storeKinds } from '../../fakes/stores.ts'
import { batchClient, chatLine } from '../../gateway/batch-client.ts'
import { type LimitsGateway, startLimitsGateway } from '../../gateway/limits-gateway.ts'
import { type Client, clientOf, operator } from '../../gateway/people-under-test.ts'

// What operators see of batches, and that they can end them.

const TIMING = { pollMs: 20, heartbeatMs: 50, keyMs: -1 }
const NO_BATCH = '00000000-0000-4000-8000-000000000000'
const SECRET = 'a private text'

for (const { name, skip, newStore } of await storeKinds())
  describe(`batches for operators on ${name}`, { skip }, () => {
    let limits: LimitsGateway
    let admin: Client
    let auditor: Client
    let manager: Client
    const keys: Record<string, { id: string; key: string }> = {}
    before(async () => {
      limits = await startLimitsGateway({ batchTiming: TIMING, jobGraceMs: 0 }, {}, { newStore })
      admin = operator(limits.gateway)
      for (const project of ['research', 'search'])
        keys[project] = (await admin('POST', '/admin/keys', { name: project, owner: project })).body
      auditor = await account('auditor')
      manager = await account('manager', 'research')
    })
    after(() => limits?.close())

    test('batches are filtered by state, project and key, and come page by page', async () => {
      const [one, two] = [await ended('research'), await ended('search')]
      const invalid = await ended('search', '{"custom_id": 5}')
      assert.deepEqual(await ids(''), [invalid, two, one])
      assert.deepEqual(await ids('status=failed'), [invalid])
      assert.deepEqual(await ids('status=open'), [])
      assert.deepEqual(await ids('project=research'), [one])
      assert.deepEqual(await ids(`key=${keys.search!.id}&status=completed`), [two])
      assert.deepEqual(await ids('to=2020-01-01T00:00:00Z'), [])
      const first = await admin('GET', '/admin/batches?limit=2')
      assert.deepEqual(await ids(`limit=2&cursor=${first.body.next_cursor}`), [one])
      for (const query of ['status=odd', 'projekt=research'])
        assert.equal((await admin('GET', `/admin/batches?${query}`)).status, 422, query)
      const csv = String((await admin('GET', '/admin/batches?format=csv')).body)
      assert.equal(csv.trim().split('\r\n').length, 4, csv)
    })

    test('a batch is shown with its counts, its errors and its key, without its contents', async () => {
      const id = await ended('research', JSON.stringify(chatLine('two', SECRET, 'missing/model')))
      const { body } = await auditor('GET', `/admin/batches/${id}`)
      const { total, succeeded, errored, status, execution, api, key_name, project, can_cancel } = body
      assert.deepEqual(
        { total, succeeded, errored, status, execution, api, key_name, project, can_cancel },
        {
          total: 2,
          succeeded: 1,
          errored: 1,
          status: 'completed',
          execution: 'auto',
          api: 'openai',
          key_name: 'research',
          project: 'research',
          can_cancel: false,
        },
      )
      assert.equal(withDashes(body.name.replace('batch_', '')), id)
      assert.ok(!JSON.stringify(body).includes(SECRET))
      const { body: wrong } = await admin('GET', `/admin/batches/${await ended('research', '[]')}`)
      assert.deepEqual([wrong.status, wrong.errors[0].line], ['failed', 2])
    })

    test('those who may not see a batch cannot tell it from none, and do not end it', async () => {
      const other = await ended('search')
      for (const path of [`/admin/batches/${other}`, `/admin/batches/${NO_BATCH}`]) {
        assert.equal((await manager('GET', path)).status, 404, path)
        assert.equal((await manager('POST', `${path}/cancel`)).status, 404, path)
      }
      const { body } = await manager('GET', '/admin/batches')
      assert.ok(body.items.length > 0)
      assert.ok(body.items.every((item: { project: string }) => item.project === 'research'))
    })

    test('a paused batch says why, is cancelled once, and that is in the audit log', async () => {
      limits.fake.always(answer())
      await limits.limit({ budgets: [{ id: 'team', limit: 0.00001, window: 'day', appliesTo: 'all' }] })
      const id = await submitted('research', JSON.stringify(chatLine('paid', 'Hi.', 'fake/priced')))
      const paused = await shown(id, ({ paused_reason }) => paused_reason !== null)
      assert.match(paused.paused_reason!, /budget 'team'/)
      assert.ok(Date.parse(paused.resumes_at!) > 0)
      assert.deepEqual([paused.status, paused.can_cancel], ['in_progress', true])
      assert.equal((await auditor('GET', `/admin/batches/${id}`)).body.can_cancel, false)
      assert.equal((await auditor('POST', `/admin/batches/${id}/cancel`)).status, 403)
      assert.deepEqual(await ids('status=open'), [id])
      assert.equal((await manager('POST', `/admin/batches/${id}/cancel`)).status, 202)
      const ended = await shown(id, ({ ended_at }) => ended_at !== null)
      assert.deepEqual([ended.status, ended.cancelled, ended.resumes_at], ['cancelled', 1, null])
      assert.equal((await admin('POST', `/admin/batches/${id}/cancel`)).status, 409)
      const { body } = await admin('GET', '/admin/audit?action=batch.cancel')
      assert.deepEqual(
        body.items.map(({ object }: { object: string }) => object),
        [`batch:${id}`],
      )
    })

    type Shown = Record<'paused_reason' | 'resumes_at' | 'ended_at', string | null> & {
      status: string
      cancelled: number
      can_cancel: boolean
    }

    async function shown(id: string, isIt: (batch: Shown) => boolean): Promise<Shown> {
      for (;;) {
        const { body } = await admin('GET', `/admin/batches/${id}`)
        if (isIt(body)) return body
        await sleep(10)
      }
    }

    async function submitted(project: string, ...more: string[]): Promise<string> {
      const sdk = new OpenAI({ apiKey: keys[project]!.key, baseURL: `${limits.gateway.url}/v3`, maxRetries: 0 })
      const { id } = await batchClient(sdk).create([chatLine('one', SECRET), ...more])
      return withDashes(id.replace('batch_', ''))
    }

    async function ended(project: string, ...more: string[]): Promise<string> {
      const id = await submitted(project, ...more)
      await shown(id, ({ ended_at }) => ended_at !== null)
      return id
    }

    async function ids(query: string): Promise<string[]> {
      const { body } = await admin('GET', `/admin/batches?${query}`)
      return body.items.map((item: { id: string }) => item.id)
    }

    async function account(role: string, project?: string): Promise<Client> {
      const { body } = await admin('POST', '/admin/users', { name: role, role, project })
      const made = await admin('POST', `/admin/users/${body.id}/tokens`, { name: 'test' })
      return clientOf(limits.gateway, { authorization: `Bearer ${made.body.token}` })
    }
  })
