import assert from 'node:assert/strict'
import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, beforeEach, describe, test } from 'node:test'
import type { RequestContent } from '../../../src/contract/admin/content.ts'
import type { KeySummary } from '../../../src/contract/admin/keys.ts'
import { sweepContents } from '../../../src/calls/contents/sweep-contents.ts'
import { answer } from '../../fakes/behaviours.ts'
import { textEvents } from '../../fakes/openai-events.ts'
import { type FakeProvider, startFakeProvider } from '../../fakes/provider.ts'
import { storeKinds } from '../../fakes/stores.ts'
import { stream } from '../../fakes/stream.ts'
import { type AdminClient, type AdminReply, adminClient } from '../../gateway/admin-client.ts'
import { type GatewayUnderTest, startGateway } from '../../gateway/gateway-under-test.ts'

const SECRET_WORD = 'xylophone-at-midnight'
const PNG = `data:image/png;base64,${'iVBORw0KGgo'.repeat(200)}`

for (const { name, skip, newStore } of await storeKinds())
  describe(`contents of calls on ${name}`, { skip }, () => {
    let provider: FakeProvider
    let gateway: GatewayUnderTest
    let admin: AdminClient
    let folder: string
    let remove: () => Promise<void>
    let project: string
    let key: { id: string; key: string }
    let projects = 0
    before(async () => {
      const store = await newStore()
      remove = store.remove
      folder = await mkdtemp(join(tmpdir(), 'gatehouse-contents-'))
      provider = await startFakeProvider({ everyPath: true })
      const env = {
        OPENAI_API_KEY: 'sk-x',
        OPENAI_BASE_URL: provider.url,
        LOG_LEVEL: 'debug',
        ...(store.databaseUrl && { DATABASE_URL: store.databaseUrl }),
      }
      gateway = await startGateway({ env, dataDir: folder })
      admin = adminClient(gateway.adminUrl)
    })
    beforeEach(async () => {
      project = `project-${projects++}`
      await admin.post('/admin/projects', { name: project, id: project })
      key = await admin.issue({ project })
    })
    after(async () => {
      await gateway?.close()
      await provider?.close()
      await rm(folder, { recursive: true })
      await remove?.()
    })

    test('nothing is kept unless the project wants it, also not on the disk', async () => {
      const id = await chat(`The word is ${SECRET_WORD}.`)
      await settled()
      assert.equal((await content(id)).status, 404)
      assert.deepEqual(await rowsOf(), [])
      assert.deepEqual(await filesWith(SECRET_WORD), [])
    })

    test('full content is what was asked and answered, encrypted on the disk', async () => {
      await keep({ mode: 'full' })
      provider.next(answer({ content: 'Noted, ada@example.com.' }))
      const id = await chat(`The word is ${SECRET_WORD}.`)
      const { body } = await content(id)
      assert.deepEqual([body.id, body.project, body.mode, body.status, body.code], [id, project, 'full', 200, null])
      assert.equal(textIn(body.request), `The word is ${SECRET_WORD}.`)
      assert.equal((body.answer as Chat).choices[0]!.message.content, 'Noted, ada@example.com.')
      assert.deepEqual(await filesWith(SECRET_WORD), [])
      assert.ok(!gateway.logs().includes(SECRET_WORD))
    })

    test('redacted content has placeholders, also if no hook asks for them', async () => {
      await keep({ mode: 'redacted' })
      provider.next(answer({ content: 'I wrote to ada@example.com.' }))
      const { body } = await content(await chat('Write to bob@example.org, 4111 1111 1111 1111.'))
      assert.equal(textIn(body.request), 'Write to [EMAIL_1], [CARD_1].')
      assert.match((body.answer as Chat).choices[0]!.message.content, /^I wrote to \[EMAIL_\d\]\.$/)
    })

    test('bytes of images and credentials of tools are not kept, and long texts are cut with a mark', async () => {
      await keep({ mode: 'full', bytes_per_field: 100 })
      const content_ = [
        { type: 'text', text: 'é'.repeat(1_000) },
        { type: 'image_url', image_url: { url: PNG } },
        { type: 'text', text: `See ${PNG} here.` },
      ]
      const tools = [{ type: 'function', function: { name: 'f', parameters: {} }, authorization: SECRET_WORD }]
      const { body } = await content(await chat(content_, { tools }))
      const parts = (body.request as Asked).messages[0]!.content as Part[]
      assert.equal(parts[0]!.text, `${'é'.repeat(50)}… [cut, it had 1000 characters]`)
      assert.match(parts[1]!.image_url!.url, /^\[image\/png, \d+ bytes\]$/)
      assert.match(parts[2]!.text!, /^See \[image\/png, \d+ bytes\] here\.$/)
      assert.ok(!JSON.stringify(body).includes('iVBOR') && !JSON.stringify(body).includes(SECRET_WORD))
    })

    const FORMATS: [path: string, body: object, said: RegExp][] = [
      ['chat/completions', { messages: [{ role: 'user', content: 'Ask A' }] }, /Ask A/],
      ['messages', { max_tokens: 50, messages: [{ role: 'user', content: 'Ask B' }] }, /Ask B/],
      ['responses', { input: 'Ask C' }, /Ask C/],
      ['completions', { prompt: 'Ask D' }, /Ask D/],
    ]
    for (const [path, body, said] of FORMATS)
      for (const isStream of [false, true])
        test(`${path} ${isStream ? 'as a stream ' : ''}is kept in its own format`, async () => {
          await keep({ mode: 'full' })
          if (isStream) provider.next(stream(textEvents('Streamed words.')))
          else provider.next(answer({ content: 'Whole words.' }))
          const id = await post(path === 'messages' ? 'v1/messages' : path, {
            model: 'openai/gpt-4o',
            stream: isStream,
            ...body,
          })
          const kept = (await content(id)).body
          assert.match(JSON.stringify(kept.request), said)
          assert.match(JSON.stringify(kept.answer), isStream ? /Streamed words\./ : /Whole words\./)
        })

    test('Gemini requests are kept; of images and tasks, only what was asked', async () => {
      await keep({ mode: 'full' })
      const gemini = await post('v1beta/models/openai%2Fgpt-4o:generateContent', {
        contents: [{ parts: [{ text: 'Ask E' }] }],
      })
      assert.match(JSON.stringify((await content(gemini)).body.request), /Ask E/)
      const image = (await content(await post('images/generations', { model: 'sandbox/image', prompt: 'A red boat' })))
        .body
      assert.match(JSON.stringify(image.request), /A red boat/)
      assert.equal(image.answer, null)
      const task = await post('universal-ai', { model: 'text/moderation/sandbox', input: { text: 'Ask F' } })
      assert.deepEqual((await content(task)).body.answer, null)
    })

    test('a stream that breaks off is kept as far as it came, with its error', async () => {
      await keep({ mode: 'full' })
      const { body } = await content(
        await chat('Cut this, please. It is long enough to be cut.', { model: 'sandbox/cut', stream: true }),
      )
      assert.notEqual(body.code, null)
      assert.ok(body.answer)
    })

    test('`store: false` and a policy without retention win', async () => {
      await keep({ mode: 'full' })
      await chat('x', { store: false })
      await chat('x', { extra_body: { store: false } })
      await admin.patch(`/admin/keys/${key.id}`, { policy: { data_policy: 'zero_retention' } })
      await chat('x', { model: 'sandbox/echo' })
      await settled()
      assert.deepEqual(await rowsOf(), [])
    })

    for (const off of [null, JSON.stringify({ mode: 'off', managers_read: true })])
      test(`what is turned off is not kept any more, whatever a process believes (${off})`, async () => {
        await keep({ mode: 'full' })
        const { db, contents } = gateway.gateway.services.calls
        await db.query('UPDATE projects SET content = $2 WHERE id = $1 RETURNING id', [project, off])
        await chat('x')
        await settled()
        assert.deepEqual(await rowsOf(), [])
        await contents.refresh()
      })

    test('the next two requests of a key are recorded, and no more', async () => {
      const asked = { requests: 2, expires_in_seconds: 60, mode: 'full' }
      const { body, status } = await admin.post<KeySummary>(`/admin/keys/${key.id}/record`, asked)
      assert.deepEqual([status, body.recording?.requests_left, body.recording?.mode], [200, 2, 'full'])
      const ids = [await chat('one'), await chat('two'), await chat('three')]
      await settled()
      assert.equal((await rowsOf()).length, 2)
      assert.equal((await content(ids[2]!)).status, 404)
      assert.equal((await admin.get<KeySummary>(`/admin/keys/${key.id}`)).body.recording, null)
      const { items } = (await admin.get<Audit>('/admin/audit?action=key.record')).body
      assert.equal(items[0]!.object, `key:${key.id}`)
    })

    test('every reading is in the audit log', async () => {
      await keep({ mode: 'full' })
      const id = await chat('x')
      await content(id)
      const { items } = (await admin.get<Audit>('/admin/audit?action=content.read')).body
      assert.deepEqual([items[0]!.object, items[0]!.after], [`request:${id}`, { project, mode: 'full' }])
    })

    test('with the key of another project, or without one, content cannot be read', async () => {
      await keep({ mode: 'full' })
      const id = await chat('x')
      assert.equal((await content(id)).status, 200)
      const { db, secrets } = gateway.gateway.services.tenants
      await secrets.current!.replace(`content:${project}`, '00'.repeat(32))
      assert.equal((await content(id)).status, 404)
      await db.query('DELETE FROM secrets WHERE name = $1 RETURNING name', [`content:${project}`])
      assert.equal((await content(id)).status, 404)
    })

    test('a row whose bytes were never written answers as if there were none, and the sweep removes it', async () => {
      await keep({ mode: 'full' })
      const id = await chat('x')
      const { db, files } = gateway.gateway.services.calls
      await settled()
      const [row] = await rowsOf()
      await files.blobs.delete(row!.id)
      assert.equal((await content(id)).status, 404)
      await db.query('UPDATE contents SET expires_at = 1 WHERE project = $1 RETURNING id', [project])
      await sweepContents({ db, blobs: files.blobs })
      assert.deepEqual(await rowsOf(), [])
    })

    test('content goes with its time, its end user and its project', async () => {
      await keep({ mode: 'full' })
      for (const user of ['mia', 'tom']) await chat('x', { user })
      await settled()
      const { body } = await admin.delete(`/admin/projects/${project}/end-users/mia/content`)
      assert.equal((body as unknown as { contents: number }).contents, 1)
      const [tom] = await rowsOf()
      assert.ok(await blob(tom!.id))
      await admin.delete(`/admin/projects/${project}`)
      assert.deepEqual([await rowsOf(), await blob(tom!.id)], [[], undefined])
      const { db } = gateway.gateway.services.calls
      assert.deepEqual(await db.query('SELECT name FROM secrets WHERE name = $1', [`content:${project}`]), [])
    })

    async function keep(settings: object): Promise<void> {
      const { status, text } = await admin.patch(`/admin/projects/${project}`, { content: settings })
      assert.equal(status, 200, text)
    }

    function chat(content_: unknown, more: object = {}): Promise<string> {
      const messages = [{ role: 'user', content: content_ }]
      return post('chat/completions', { model: 'openai/gpt-4o', messages, ...more })
    }

    /** Returns the id of the call. */
    async function post(path: string, body: object): Promise<string> {
      const headers = { authorization: `Bearer ${key.key}`, 'content-type': 'application/json' }
      const response = await fetch(`${gateway.url}/v3/${path}`, { method: 'POST', headers, body: JSON.stringify(body) })
      await response.text().catch(() => '')
      return response.headers.get('x-request-id')!
    }

    async function content(id: string): Promise<AdminReply<RequestContent>> {
      await settled()
      return await admin.get(`/admin/requests/${id}/content`)
    }

    function settled(): Promise<void> {
      return gateway.gateway.services.calls.contents.written()
    }

    function rowsOf(): Promise<{ id: string }[]> {
      return gateway.gateway.services.calls.db.query('SELECT id FROM contents WHERE project = $1', [project])
    }

    function blob(id: string) {
      return gateway.gateway.services.calls.files.blobs.read(id).then((found) => found && 'there')
    }

    async function filesWith(word: string): Promise<string[]> {
      const found = await readdir(folder, { recursive: true, withFileTypes: true })
      const paths = found.filter((file) => file.isFile()).map((file) => join(file.parentPath, file.name))
      const contents = await Promise.all(paths.map((path) => readFile(path).catch(() => Buffer.alloc(0))))
      return paths.filter((_, index) => contents[index]!.includes(word))
    }
  })

type Part = { text?: string; image_url?: { url: string } }
type Asked = { messages: { content: string | Part[] }[] }
type Chat = { choices: { message: { content: string } }[] }
type Audit = { items: { object: string; after: unknown }[] }

function textIn(request: unknown): string {
  return (request as Asked).messages[0]!.content as string
}
