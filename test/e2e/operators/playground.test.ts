import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import { setTimeout } from 'node:timers/promises'
import { consoleCaller } from '../../../src/tenants/access/console-caller.ts'
import { authorOf } from '../../../src/tenants/people/actor.ts'
import { storeKinds } from '../../fakes/stores.ts'
import { ADMIN_KEY, API_KEY, type GatewayUnderTest, startGateway } from '../../gateway/gateway-under-test.ts'
import { type Client, clientOf, firstOwner, invited } from '../../gateway/people-under-test.ts'
import { taskClient } from '../../gateway/task-client.ts'

// The playground of the console: models for people who have signed in, without a key.

const CHAT = '/admin/playground/chat/completions'
const JOBS = '/admin/playground/universal-ai/async'
const PIXEL = Buffer.from(
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAAAAAA6fptVAAAACklEQVR4nGNgAAAAAgABSK+kcQAAAABJRU5ErkJggg==',
  'base64',
)
const messages = [{ role: 'user', content: 'Hello!' }]
const body = { model: 'sandbox/echo', messages }

for (const { name, skip, newStore } of await storeKinds())
  describe(`the playground, on ${name}`, { skip }, () => {
    let gateway: GatewayUnderTest
    let owner: Client
    let member: Client & { id: string }
    before(async () => {
      gateway = await startGateway({ newStore, env: { OPENAI_API_KEY: 'sk-fake-0123456789' } })
      owner = await firstOwner(gateway)
      for (const id of ['research', 'other', 'poor', 'strict']) await owner('POST', '/admin/projects', { id, name: id })
      await owner('POST', '/admin/budgets', { id: 'none', applies_to: 'project:poor', limit: 0, window: 'month' })
      await owner('PATCH', '/admin/projects/strict', { policy: { endpoints: ['models'], models: ['openai/*'] } })
      member = await invited(owner, gateway, { email: 'm@example.com', role: 'member', project: 'research' })
    })
    after(() => gateway.close())

    test('a member chats in the own project, and the ledger names the person and the project', async () => {
      const { status, body: answer, headers } = await member('POST', `${CHAT}?project=research`, body)
      assert.deepEqual([status, answer.choices[0].message.content], [200, 'Hello!'])
      const line = (await owner('GET', `/admin/requests/${headers.get('x-request-id')}`)).body
      assert.deepEqual([line.project, line.user, line.key], ['research', member.id, `console-${member.id}`])
      const own = (await member('GET', '/admin/requests')).body.items as { id: string }[]
      assert.ok(
        own.some(({ id }) => id === line.id),
        'it is among the own requests',
      )
    })

    test('it is streamed as by the API', async () => {
      const cookie = await cookieOf('m@example.com')
      const sent = { ...body, stream: true, stream_options: { include_usage: true } }
      const answer = await fetch(`${gateway.adminUrl}${CHAT}`, {
        method: 'POST',
        headers: { cookie, 'content-type': 'application/json' },
        body: JSON.stringify(sent),
      })
      assert.match(answer.headers.get('content-type')!, /^text\/event-stream/)
      const text = await answer.text()
      assert.match(text, /"delta"/)
      assert.match(text, /"usage":\{/)
      assert.ok(text.trimEnd().endsWith('data: [DONE]'))
    })

    test('a person who may not create a key in a project may not call there', async () => {
      assert.equal((await member('POST', `${CHAT}?project=other`, body)).status, 403)
      assert.equal((await member('GET', '/admin/playground/models?project=other')).status, 403)
      for (const role of ['auditor', 'billing']) {
        const other = await invited(owner, gateway, { email: `${role}@example.com`, role })
        assert.equal((await other('POST', `${CHAT}?project=research`, body)).status, 403, role)
      }
      assert.equal((await clientOf(gateway)('POST', CHAT, body)).status, 401)
      const key = { authorization: `Bearer ${API_KEY}` }
      assert.equal((await clientOf(gateway, key)('POST', CHAT, body)).status, 401, 'a key of the API')
      assert.equal((await owner('POST', `${CHAT}?project=nowhere`, body)).status, 422)
    })

    test('budgets and the policy of the project apply', async () => {
      const priced = { model: 'openai/gpt-4o-mini', messages }
      const poor = await owner('POST', `${CHAT}?project=poor`, priced)
      assert.deepEqual([poor.status, poor.body.error.code], [402, 'budget_exhausted'])
      const lists = async (project: string) => {
        const { body: list } = await owner('GET', `/admin/playground/models?project=${project}`)
        return (list.data as { id: string }[]).some(({ id }) => id === 'sandbox/echo')
      }
      const { status, body: refused } = await owner('POST', `${CHAT}?project=strict`, body)
      assert.deepEqual([status, refused.error.code], [403, 'not_allowed'])
      assert.deepEqual([await lists('research'), await lists('strict')], [true, false])
    })

    test('a person uses the files of the project only where its keys share them', async () => {
      for (const share of ['key', 'project']) await owner('POST', '/admin/projects', { id: share, name: share, share })
      const { tenants } = gateway.gateway.services
      const memberships = [{ organization: 'default', project: null, role: 'member' as const }]
      const actor = { kind: 'user' as const, id: member.id, name: 'm', via: 'session' as const, memberships }
      const people = { ...tenants, actor, author: authorOf(actor) }
      const owners = ['key', 'project'].map(async (project) => {
        const { project: place, ownerKind, ownerId } = await consoleCaller({ project }, people)
        return [place, ownerKind, ownerId]
      })
      const expected = [
        ['key', 'person', member.id],
        ['project', 'project', 'project'],
      ]
      assert.deepEqual(await Promise.all(owners), expected)
    })

    test('a page of another origin, a form, and a session on the API are refused', async () => {
      const origin = { origin: 'https://evil.example' }
      assert.equal((await member('POST', CHAT, body, origin)).status, 403)
      assert.equal((await member('POST', CHAT, body, { 'content-type': 'text/plain' })).status, 415)
      const cookie = await cookieOf('m@example.com')
      const headers = { cookie, 'content-type': 'application/json' }
      const answer = await fetch(`${gateway.url}/v3/chat/completions`, {
        method: 'POST',
        headers,
        body: JSON.stringify(body),
      })
      assert.equal(answer.status, 401)
    })

    test('a wrong body is refused with all of its issues, and the other endpoints answer', async () => {
      assert.equal((await member('POST', CHAT, { model: 3 })).body.detail.length, 2)
      const task = { model: 'text/moderation/sandbox', input: { text: 'Hello!' } }
      assert.equal((await member('POST', '/admin/playground/universal-ai', task)).status, 200)
      const simulated = { model: 'openai/gpt-4o-mini', messages }
      const free = await member('POST', `${CHAT}?kind=sandbox`, simulated)
      assert.deepEqual([free.status, free.body.cost], [200, 0])
      assert.equal((await member('POST', `${CHAT}?kind=admin`, simulated)).status, 422)
      const image = { model: 'sandbox/image', prompt: 'A door' }
      assert.equal((await member('POST', '/admin/playground/images/generations', image)).status, 200)
      assert.equal((await member('GET', '/admin/playground/info')).status, 200)
      for (const kind of ['images', 'audio/speech'])
        assert.equal((await member('GET', `/admin/playground/${kind}/models`)).status, 200, kind)
      const about = await member('GET', '/admin/playground/info/text/moderation?format=json_schema')
      assert.equal(about.status, 200)
      const admin = clientOf(gateway, { authorization: `Bearer ${ADMIN_KEY}` })
      assert.equal((await admin('POST', CHAT, body)).status, 200)
    })

    test('a task in the background reads a file that the person has uploaded, and no other person sees either', async () => {
      const cookie = await cookieOf('m@example.com')
      const form = new FormData()
      form.set('file', new Blob([PIXEL]), 'sign.png')
      const headers = { cookie, 'x-gatehouse-form': 'yes' }
      const sent = { method: 'POST', headers, body: form }
      const path = `${gateway.adminUrl}/admin/playground/upload?project=research`
      const uploaded = await fetch(path, sent)
      assert.equal(uploaded.status, 200, await uploaded.clone().text())
      const { file_id } = (await uploaded.json()) as { file_id: string }
      const task = { model: 'ocr/ocr/sandbox', input: { file: file_id } }
      const submitted = await member('POST', `${JOBS}?project=research`, task)
      assert.equal(submitted.status, 202, JSON.stringify(submitted.body))
      const job = await endOf(submitted.body.job_id)
      assert.deepEqual([job.status, typeof job.output.text], ['success', 'string'])
      const { body: line } = await owner('GET', `/admin/requests/${job.job_id}`)
      assert.deepEqual([line.project, line.user, line.key], ['research', member.id, `console-${member.id}`])
      assert.equal((await owner('GET', `${JOBS}/${job.job_id}?project=other`)).status, 404)
      const foreign = await owner('POST', '/admin/playground/universal-ai?project=other', task)
      assert.equal(foreign.status, 404, `a file of another person: ${JSON.stringify(foreign.body)}`)
      const elsewhere = { ...sent, headers: { ...headers, origin: 'https://evil.example' } }
      assert.equal((await fetch(path, elsewhere)).status, 403, 'a form of another page')
      assert.equal((await fetch(path, { ...sent, headers: { cookie } })).status, 415, 'without the header')
    })

    test('does not show a job that another person has submitted: reading contents needs its permission, and is audited', async () => {
      const key = (await owner('POST', '/admin/keys', { name: 'k', project: 'research' })).body
      const task = { model: 'text/moderation/sandbox', input: { text: 'a private text' } }
      const client = taskClient(gateway.url, key.key)
      const { job_id } = (await client.submit(task)).body
      await client.ended(job_id)
      for (const asker of [member, owner])
        assert.equal((await asker('GET', `${JOBS}/${job_id}?project=research`)).status, 404)
      const own = await member('POST', `${JOBS}?project=research`, task)
      assert.equal((await owner('GET', `${JOBS}/${own.body.job_id}?project=research`)).status, 404)
      assert.equal((await endOf(own.body.job_id)).status, 'success')
    })

    /** Jobs end by themselves. */
    async function endOf(id: string) {
      for (;;) {
        const { body: job } = await member('GET', `${JOBS}/${id}?project=research`)
        if (job.status !== 'processing') return job
        await setTimeout(10)
      }
    }

    async function cookieOf(email: string): Promise<string> {
      const { headers } = await clientOf(gateway)('POST', '/admin/sessions', {
        email,
        password: 'correct horse battery staple',
      })
      return headers.get('set-cookie')!.split(';')[0]!
    }
  })
