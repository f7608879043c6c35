import assert from 'node:assert/strict'
import { once } from 'node:events'
import { after, before, describe, test } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { startReceiver } from '../../fakes/webhook-receiver.ts'
import { nextMillisecond, storeKinds } from '../../fakes/stores.ts'
import { type GatewayUnderTest, startGateway } from '../../gateway/gateway-under-test.ts'
import { type Client, clientOf, operator } from '../../gateway/people-under-test.ts'
import { type TaskClient, taskClient } from '../../gateway/task-client.ts'

// What operators do with jobs and webhooks of others.

const SECRET = 'a private text'
const POLL_MS = 10
const TASK = { model: 'text/moderation/sandbox', input: { text: SECRET } }
const NO_JOB = '00000000-0000-4000-8000-000000000000'
type Event = { event: string }

for (const { name, skip, newStore } of await storeKinds()) {
  describe(`jobs and webhooks for operators on ${name}`, { skip }, () => {
    let gateway: GatewayUnderTest
    let receiver: Awaited<ReturnType<typeof startReceiver>>
    let admin: Client
    let auditor: Client
    let manager: Client
    const clients: Record<string, TaskClient> = {}
    const closing = new AsyncDisposableStack()

    before(async () => {
      receiver = await startReceiver((response, { path }) => {
        response.writeHead(Number(path.slice(1)) || 200).end('x'.repeat(2_000))
      })
      const env = { ALLOW_NETWORKS: '127.0.0.0/8' }
      gateway = await startGateway({ newStore, env, overrides: { deliveryDelaysMs: [], drainMs: 0 } })
      closing.defer(() => receiver.stop())
      closing.defer(() => gateway.close())
      admin = operator(gateway)
      for (const project of ['research', 'search']) {
        const { body } = await admin('POST', '/admin/keys', { name: project, owner: project })
        clients[project] = taskClient(gateway.url, body.key)
      }
      auditor = await account('auditor')
      manager = await account('manager', 'research')
    })
    after(() => closing.disposeAsync())

    test('jobs are counted and filtered by state, project, feature and time', async () => {
      const [one, two] = [await ended('research'), await ended('search')]
      await failed(two)
      const counts = async (query: string) => (await admin('GET', `/admin/jobs/counts?${query}`)).body
      assert.deepEqual(await counts(''), { queued: 0, running: 0, success: 1, fail: 1, total: 2 })
      assert.deepEqual(await ids('project=research'), [one])
      assert.deepEqual(await ids('status=fail'), [two])
      assert.deepEqual(await ids('status=fail&project=research'), [])
      assert.deepEqual(await ids('feature=ocr'), [])
      assert.deepEqual(await ids('to=2020-01-01T00:00:00Z'), [])
      assert.equal((await ids('from=2020-01-01T00:00:00Z')).length, 2)
      assert.deepEqual((await manager('GET', '/admin/jobs/counts')).body.total, 1)
      assert.equal((await admin('GET', '/admin/jobs?status=odd')).status, 422)
    })

    test('a filter that does not exist is refused: a typo would show, or count, everything', async () => {
      for (const path of ['jobs', 'jobs/counts', 'deliveries']) {
        const { status, body } = await admin('GET', `/admin/${path}?projekt=research`)
        assert.ok(status === 422 && JSON.stringify(body).includes('projekt'), `${path} ${status}`)
      }
      assert.equal((await admin('GET', '/admin/jobs/counts?limit=1')).status, 422)
    })

    test('a job has its history; its contents are for those who may read them, and that is noted', async () => {
      const id = await ended('research')
      const { body } = await auditor('GET', `/admin/jobs/${id}`)
      assert.deepEqual([body.project, body.input, body.output, body.can_retry], ['research', null, null, false])
      assert.deepEqual(
        body.timeline.map(({ event }: Event) => event),
        ['submitted', 'started', 'finished'],
      )
      assert.ok(!JSON.stringify(body).includes(SECRET))
      assert.equal((await auditor('GET', `/admin/jobs/${id}?content=true`)).status, 403)
      const whole = await admin('GET', `/admin/jobs/${id}?content=true`)
      assert.deepEqual([whole.body.input.input, typeof whole.body.output], [TASK.input, 'object'])
      assert.equal((await audited('job.read_content'))[0].object, `job:${id}`)
      const other = await ended('search')
      for (const path of [`/admin/jobs/${other}`, `/admin/jobs/${NO_JOB}`])
        assert.equal((await manager('GET', path)).status, 404, path)
    })

    test('managers read contents of jobs and webhooks if their project says so, as those of calls', async () => {
      const sent = await delivery('/200')
      const { job_id: job } = (await admin('GET', `/admin/deliveries/${sent}`)).body
      const reads = async (who: Client) => [
        (await who('GET', `/admin/jobs/${job}`)).body.can_read_content,
        (await who('GET', `/admin/jobs/${job}?content=true`)).status,
        (await who('GET', `/admin/deliveries/${sent}`)).body.can_read_content,
        (await who('GET', `/admin/deliveries/${sent}?content=true`)).status,
      ]
      assert.deepEqual(await reads(manager), [false, 403, false, 403])
      const { body } = await manager('GET', `/admin/jobs/${job}`)
      assert.deepEqual([body.state, body.input, body.output], ['success', null, null])
      assert.ok(!JSON.stringify(body).includes(SECRET))
      await letManagersRead(true)
      assert.deepEqual(await reads(manager), [true, 200, true, 200])
      await letManagersRead(false)
      assert.deepEqual(await reads(manager), [false, 403, false, 403])
      assert.deepEqual(await reads(admin), [true, 200, true, 200])
      assert.deepEqual(await reads(auditor), [false, 403, false, 403])
    })

    test('a failed job is run again once, as a new job that names it', async () => {
      const id = await ended('research')
      assert.equal((await admin('POST', `/admin/jobs/${id}/retry`)).status, 409)
      await failed(id)
      const { status, body } = await manager('POST', `/admin/jobs/${id}/retry`)
      assert.equal(status, 201)
      await clients.research!.ended(body.id)
      const again = (await admin('GET', `/admin/jobs/${body.id}`)).body
      assert.deepEqual([again.status, again.retry_of, again.timeline[0].event], ['success', id, 'retry_submitted'])
      assert.equal((await admin('GET', `/admin/jobs/${id}`)).body.retried_as, body.id)
      assert.equal((await admin('POST', `/admin/jobs/${id}/retry`)).status, 409)
      assert.equal((await audited('job.retry'))[0].after.retried_as, body.id)
    })

    test('a job of a key that was revoked is not run again', async () => {
      const made = await admin('POST', '/admin/keys', { name: 'soon gone', project: 'research' })
      const client = taskClient(gateway.url, made.body.key)
      const { body } = await client.submit(TASK)
      await client.ended(body.job_id)
      await failed(body.job_id)
      await admin('DELETE', `/admin/keys/${made.body.id}`)
      assert.equal((await admin('POST', `/admin/jobs/${body.job_id}/retry`)).status, 409)
    })

    test('a job that runs is cancelled and not deleted; one that has ended is deleted', async () => {
      const id = await ended('research')
      await running(id)
      assert.equal((await admin('DELETE', `/admin/jobs/${id}`)).status, 409)
      assert.equal((await admin('POST', `/admin/jobs/${id}/cancel`)).status, 202)
      const { timeline } = (await admin('GET', `/admin/jobs/${id}`)).body
      assert.ok(timeline.some(({ event }: Event) => event === 'cancel_asked'))
      assert.equal((await admin('POST', `/admin/jobs/${id}/cancel`)).status, 409)
      await failed(id)
      assert.equal((await admin('DELETE', `/admin/jobs/${id}`)).status, 204)
      assert.equal((await admin('GET', `/admin/jobs/${id}`)).status, 404)
    })

    test('an action over the whole filter wants the count confirmed, and keeps to what the actor may see', async () => {
      for (let at = 0; at < 8; at++) await failed(await ended('search'))
      const filter = { project: 'search', status: 'fail' }
      const bulk = (who: Client, more: object) => who('POST', '/admin/jobs/bulk', { action: 'delete', filter, ...more })
      await nextMillisecond(gateway.gateway.services.calls.db)
      const asked = await bulk(admin, {})
      assert.deepEqual(asked.body, { count: 9, done: 0, more: true })
      assert.deepEqual((await bulk(manager, { expected_count: 0 })).body, { count: 0, done: 0, more: false })
      const refused = await bulk(admin, { expected_count: 2 })
      assert.deepEqual([refused.status, refused.body.error.count], [409, 9])
      assert.equal((await ids('project=search&status=fail')).length, 9)
      const done = await bulk(admin, { expected_count: 9 })
      assert.deepEqual(done.body, { count: 9, done: 9, more: false })
      assert.deepEqual(await ids('project=search&status=fail'), [])
      assert.equal((await audited('job.bulk_delete'))[0].after.jobs.length, 9)
    })

    test('a webhook shows its bytes, signatures and every attempt with the start of the answer', async () => {
      const id = await delivery('/503')
      const { body } = await auditor('GET', `/admin/deliveries/${id}`)
      assert.deepEqual([body.state, body.body, body.attempt_list.length], ['failed', null, 1])
      const [attempt] = body.attempt_list
      const sent = receiver.received.at(-1)!
      assert.deepEqual([attempt.status, attempt.answer], [503, null])
      assert.equal(attempt.headers['webhook-signature'], sent.headers['webhook-signature'])
      assert.match(body.public_keys.rsa, /BEGIN PUBLIC KEY/)
      assert.equal((await auditor('GET', `/admin/deliveries/${id}?content=true`)).status, 403)
      const whole = (await admin('GET', `/admin/deliveries/${id}?content=true`)).body
      assert.deepEqual([whole.body, whole.attempt_list[0].answer], [sent.body.toString(), 'x'.repeat(1_024)])
      assert.equal((await audited('delivery.read_content'))[0].object, `delivery:${id}`)
    })

    test('all failed webhooks since a time are sent again, after the count was confirmed', async () => {
      await nextMillisecond(gateway.gateway.services.calls.db)
      const from = new Date(gateway.gateway.services.calls.now()).toISOString()
      const id = await delivery('/500')
      const { host } = new URL(receiver.url)
      const again = (more: object) =>
        admin('POST', '/admin/deliveries/redeliver', { filter: { from, receiver: host }, ...more })
      assert.deepEqual((await again({})).body, { count: 1, done: 0, more: true })
      assert.equal((await again({ expected_count: 40 })).status, 409)
      const arrived = once(receiver.arrivals, '/500')
      assert.deepEqual((await again({ expected_count: 1 })).body, { count: 1, done: 1, more: false })
      await arrived
      await settled(id)
      assert.equal((await admin('GET', `/admin/deliveries/${id}`)).body.attempt_list.length, 2)
      const listed = await admin('GET', `/admin/deliveries?project=research&last_status=500&from=${from}`)
      assert.deepEqual(
        listed.body.items.map((item: { id: string }) => item.id),
        [id],
      )
    })

    test('a test goes to an address of choice through the guard, signed, and tells the answer', async () => {
      const { status, body } = await manager('POST', '/admin/deliveries/test', { url: `${receiver.url}/404` })
      assert.deepEqual([status, body.delivered, body.status, body.answer.length], [200, false, 404, 1_024])
      const sent = receiver.received.at(-1)!
      assert.deepEqual([sent.body.toString(), JSON.parse(body.body).event], [body.body, 'test'])
      assert.equal(sent.headers['x-service-signature'], body.headers['X-Service-Signature'])
      const inside = await manager('POST', '/admin/deliveries/test', { url: 'http://10.0.0.1/hook' })
      assert.deepEqual([inside.status, inside.body.detail[0].loc], [422, ['body', 'url']])
      assert.equal((await audited('delivery.test'))[0].after.receiver, new URL(receiver.url).host)
    })

    /** Of a project that keeps nothing of calls. */
    async function letManagersRead(managers_read: boolean): Promise<void> {
      const { status, body } = await admin('PATCH', '/admin/projects/research', {
        content: { mode: 'off', managers_read },
      })
      assert.deepEqual([status, body.content.managers_read === true], [200, managers_read])
    }

    async function account(role: string, project?: string): Promise<Client> {
      const { body } = await admin('POST', '/admin/users', { name: role, role, ...(project && { project }) })
      const made = await admin('POST', `/admin/users/${body.id}/tokens`, { name: 'test' })
      return clientOf(gateway, { authorization: `Bearer ${made.body.token}` })
    }

    async function ended(project: string, more: object = {}): Promise<string> {
      const { body } = await clients[project]!.submit({ ...TASK, ...more })
      await clients[project]!.ended(body.job_id)
      return body.job_id
    }

    async function delivery(path: string): Promise<string> {
      const job = await ended('research', { webhook_receiver: receiver.url + path })
      const { body } = await admin('GET', `/admin/deliveries?job_id=${job}`)
      await settled(body.items[0].id)
      return body.items[0].id
    }

    async function settled(id: string): Promise<void> {
      while ((await admin('GET', `/admin/deliveries/${id}`)).body.state === 'pending') await sleep(POLL_MS)
    }

    function failed(id: string): Promise<unknown> {
      return gateway.gateway.services.calls.db.query(
        "UPDATE jobs SET state = 'fail', finished_at = now_ms() WHERE id = $1",
        [id],
      )
    }

    function running(id: string): Promise<unknown> {
      const sql =
        "UPDATE jobs SET state = 'running', finished_at = NULL, lease_until = steady_ms() + 600000 WHERE id = $1"
      return gateway.gateway.services.calls.db.query(sql, [id])
    }

    async function ids(query: string): Promise<string[]> {
      const { body } = await admin('GET', `/admin/jobs?${query}`)
      return body.items.map((item: { id: string }) => item.id)
    }

    async function audited(action: string) {
      return (await admin('GET', `/admin/audit?action=${action}`)).body.items
    }
  })
}
