import assert from 'node:assert/strict'
import { rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, describe, test } from 'node:test'
import { newKey } from '../../../src/tenants/jwt/fixtures/fake-issuer.ts'
import { uuidOf } from '../../../src/endpoints/responses/response-ids.ts'
import { startJwtIssuer } from '../../fakes/jwt-issuer.ts'
import { storeKinds } from '../../fakes/stores.ts'
import { API_KEY, startGateway } from '../../gateway/gateway-under-test.ts'
import { operator } from '../../gateway/people-under-test.ts'

const CHAT = { model: 'sandbox/echo', messages: [{ role: 'user', content: 'Hello' }], max_tokens: 50 }
const KEY = newKey('ES256')

for (const { name, skip, newStore } of await storeKinds())
  describe(`a token of an issuer instead of a key, on ${name}`, { skip }, async () => {
    if (skip) return
    const issuer = await startJwtIssuer([KEY])
    const file = join(tmpdir(), `gatehouse-jwt-${process.pid}-${name}.json`)
    await configure({})
    const gateway = await startGateway({ newStore, env: { GATEHOUSE_CONFIG: file } })
    const { db, jwt } = gateway.gateway.services.tenants
    await db.query(
      `INSERT INTO projects (id, organization, name, share, created_at, updated_at)
       VALUES ('research', 'default', 'research', 'project', 1, 1), ('shop', 'default', 'shop', 'key', 1, 1)`,
    )

    after(async () => {
      await gateway.close()
      await issuer.close()
      await rm(file)
    })

    test('works with the header of every client format', async () => {
      const token = issuer.token({ team: 'research' })
      const bearer = { authorization: `Bearer ${token}` }
      assert.equal((await ask('/v3/chat/completions', bearer, CHAT)).status, 200)
      assert.equal((await ask('/v3/v1/messages', { 'x-api-key': token }, CHAT)).status, 200)
      assert.equal((await ask('/v3/responses', bearer, { model: CHAT.model, input: 'Hello' })).status, 200)
      const gemini = '/v3/v1beta/models/sandbox/echo:generateContent'
      const contents = { contents: [{ parts: [{ text: 'Hello' }] }] }
      assert.equal((await ask(gemini, { 'x-goog-api-key': token }, contents)).status, 200)
      assert.equal((await ask(`${gemini}?key=${token}`, {}, contents)).status, 200)
    })

    test('is refused like a bad key where nothing maps it, and for a project that does not exist', async () => {
      const bad = await ask('/v3/chat/completions', { authorization: 'Bearer nonsense' }, CHAT)
      for (const token of [
        issuer.token(),
        issuer.token({ team: 'nowhere' }),
        issuer.token({ team: 'research', aud: 'x' }),
      ]) {
        const reply = await ask('/v3/chat/completions', { authorization: `Bearer ${token}` }, CHAT)
        assert.deepEqual([reply.status, withoutId(await reply.json())], [401, withoutId(await bad.clone().json())])
        assert.equal(reply.headers.get('www-authenticate'), 'Bearer')
      }
    })

    test('has the scopes that the token names, and opens no admin route', async () => {
      const authorization = `Bearer ${issuer.token({ team: 'research', scope: 'openid chat model:openai/*' })}`
      assert.equal((await ask('/v3/chat/completions', { authorization }, CHAT)).status, 403)
      assert.equal((await fetch(`${gateway.adminUrl}/admin/keys`, { headers: { authorization } })).status, 401)
    })

    test('shares what its project shares: everything of a project, or only its own', async () => {
      const authorization = (claims: object) => ({ authorization: `Bearer ${issuer.token({ ...claims })}` })
      const upload = async (claims: object) => {
        const body = new FormData()
        body.append('file', new Blob(['text']), 'a.txt')
        await fetch(`${gateway.url}/v3/upload`, { method: 'POST', headers: authorization(claims), body })
      }
      const count = async (claims: object) => {
        const reply = await fetch(`${gateway.url}/v3/upload`, { headers: authorization(claims) })
        return ((await reply.json()) as { items: unknown[] }).items.length
      }
      await upload({ team: 'research' })
      await upload({ team: 'shop' })
      assert.deepEqual(
        [
          await count({ team: 'research', sub: 'eve' }),
          await count({ team: 'shop', sub: 'eve' }),
          await count({ team: 'shop' }),
        ],
        [1, 0, 1],
      )
    })

    test('an address to which a file is uploaded without a key works no longer than the token', async () => {
      const inMinutes = (minutes: number) => Date.now() + minutes * 60_000
      const begin = async (exp: number) => {
        const headers = {
          authorization: `Bearer ${issuer.token({ team: 'research', exp: Math.floor(exp / 1_000) })}`,
          'x-goog-upload-protocol': 'resumable',
          'x-goog-upload-command': 'start',
          'x-goog-upload-header-content-length': '5',
        }
        const reply = await fetch(`${gateway.url}/v3/upload/v1beta/files`, { method: 'POST', headers })
        return Number(new URL(reply.headers.get('x-goog-upload-url')!).searchParams.get('expires'))
      }
      assert.ok((await begin(inMinutes(10))) < inMinutes(20))
      const latest = await begin(inMinutes(300))
      assert.ok(inMinutes(50) < latest && latest <= inMinutes(60))
    })

    test('such an address ends with the user of the token, and with its issuer', async () => {
      const length = { 'x-goog-upload-header-content-length': '5' }
      const start = { 'x-goog-upload-protocol': 'resumable', 'x-goog-upload-command': 'start', ...length }
      const begun = async (sub: string) => {
        const headers = { authorization: `Bearer ${issuer.token({ team: 'research', sub })}`, ...start }
        const reply = await fetch(`${gateway.url}/v3/upload/v1beta/files`, { method: 'POST', headers })
        const address = reply.headers.get('x-goog-upload-url')!
        return async () =>
          (await fetch(address, { method: 'POST', headers: { 'x-goog-upload-command': 'query' } })).status
      }
      const [ofUser, ofOther] = [await begun('uploader'), await begun('eve')]
      assert.deepEqual([await ofUser(), await ofOther()], [200, 200])
      await db.query(
        `INSERT INTO users (id, organization, name, kind, issuer, subject, disabled_at, created_at, updated_at)
         VALUES ('u2', 'default', 'Uploader', 'person', $1, 'uploader', 5, 1, 1)`,
        [issuer.url],
      )
      assert.deepEqual([await ofUser(), await ofOther()], [401, 200])
      await configure({ auth: { jwt: [] } })
      await gateway.gateway.services.operations.reloadConfig()
      assert.equal(await ofOther(), 401)
      await configure({})
      await gateway.gateway.services.operations.reloadConfig()
    })

    test('what it keeps for itself is of one project, and ends with the project', async () => {
      const headers = (team: string) => ({ authorization: `Bearer ${issuer.token({ team })}` })
      const stored = async (team: string) => {
        await operator(gateway)('POST', '/admin/projects', { id: team, name: team, share: 'key' })
        const reply = await ask('/v3/responses', headers(team), { model: CHAT.model, input: 'Hello', user: 'mia' })
        return ((await reply.json()) as { id: string }).id
      }
      const mine = await stored('apart')
      const others = {
        other: await stored('other'),
        xapart: await stored('xapart'),
        'apart.x': await stored('apart.x'),
      }
      const statusOf = async (team: string, id: string) =>
        (await fetch(`${gateway.url}/v3/responses/${id}`, { headers: headers(team) })).status
      assert.deepEqual([await statusOf('apart', mine), await statusOf('other', mine)], [200, 404])
      const shares = await operator(gateway)('PATCH', '/admin/projects/apart', { share: 'project' })
      assert.equal(shares.status, 409)
      const forgotten = await operator(gateway)('DELETE', '/admin/projects/other/end-users/mia/content')
      assert.equal(forgotten.body.files, 1)
      assert.equal((await operator(gateway)('DELETE', '/admin/projects/apart')).status, 204)
      assert.deepEqual(await db.query('SELECT id FROM files WHERE id = $1', [uuidOf(mine)]), [])
      const left = await Promise.all(Object.entries(others).map(([team, id]) => statusOf(team, id)))
      assert.deepEqual(left, [404, 200, 200])
    })

    test('ends with its project, and with the user that it stands for', async () => {
      const headers = { authorization: `Bearer ${issuer.token({ team: 'shop', sub: 'leaver' })}` }
      const status = async () => {
        await jwt.look()
        return (await ask('/v3/chat/completions', headers, CHAT)).status
      }
      assert.equal(await status(), 200)
      await db.query(
        `INSERT INTO users (id, organization, name, kind, issuer, subject, disabled_at, created_at, updated_at)
         VALUES ('u1', 'default', 'Leaver', 'person', $1, 'leaver', 5, 2, 2)`,
        [issuer.url],
      )
      assert.equal(await status(), 401)
      await db.query("UPDATE users SET disabled_at = NULL, updated_at = 3 WHERE id = 'u1'")
      assert.equal(await status(), 200)
      await db.query("UPDATE projects SET deleted_at = 4, updated_at = now_ms() + 1000 WHERE id = 'shop'")
      assert.equal(await status(), 401)
    })

    test('keys stay keys, and a reload without issuers ends all tokens', async () => {
      assert.equal((await ask('/v3/chat/completions', { authorization: `Bearer ${API_KEY}` }, CHAT)).status, 200)
      const headers = { authorization: `Bearer ${issuer.token({ team: 'research' })}` }
      assert.equal((await ask('/v3/chat/completions', headers, CHAT)).status, 200)
      await configure({ auth: { jwt: [] } })
      await gateway.gateway.services.operations.reloadConfig()
      assert.equal((await ask('/v3/chat/completions', headers, CHAT)).status, 401)
    })

    test('no token is in the log', () => {
      assert.ok(!gateway.logs().includes(issuer.token().split('.')[0]!))
    })

    function ask(path: string, headers: Record<string, string>, body: unknown): Promise<Response> {
      const all = { 'content-type': 'application/json', ...headers }
      return fetch(gateway.url + path, { method: 'POST', headers: all, body: JSON.stringify(body) })
    }

    async function configure(changes: object): Promise<void> {
      const entry = { issuer: issuer.url, audience: 'gatehouse', claims: { project: 'team' } }
      const scoped = { ...entry, claims: { ...entry.claims, scopes: 'scope' }, match: { scope: '*' } }
      await writeFile(file, JSON.stringify({ auth: { jwt: [scoped, entry] }, ...changes }))
    }
  })

function withoutId(body: unknown): unknown {
  return JSON.parse(JSON.stringify(body, (name, value) => (name === 'request_id' ? undefined : value)))
}
