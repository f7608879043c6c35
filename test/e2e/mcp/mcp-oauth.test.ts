import assert from 'node:assert/strict'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, describe, test } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { Client, type OAuthClientProvider, StreamableHTTPClientTransport } from '@modelcontextprotocol/client'
import { storeKinds } from '../../fakes/stores.ts'
import { DevicePage, redeem, renew } from '../../gateway/agent-client.ts'
import { API_KEY, startGateway } from '../../gateway/gateway-under-test.ts'
import {
  allowed,
  askMcp,
  authorizeUrl,
  consentOf,
  decide,
  exchange,
  leadsTo,
  openPage,
  REDIRECT_URI,
  registered,
  renewed,
} from '../../gateway/oauth-program.ts'
import { firstOwner, invited, operator, type Client as Person } from '../../gateway/people-under-test.ts'
import { TwoGateways } from '../people/two-gateways.ts'

// People let programs use MCP. Steps reach other processes than the ones before.

const MINUTE_MS = 60_000
/** Where something is awaited that another process notices at its next look. */
const TRY_MS = 25
const LIFE_OF_TOKEN_MS = 8 * 60 * MINUTE_MS + 1
const kinds = await storeKinds()
const folder = await mkdtemp(join(tmpdir(), 'gatehouse-mcp-oauth-'))
const GATEHOUSE_CONFIG = join(folder, 'config.json')
await writeFile(
  GATEHOUSE_CONFIG,
  JSON.stringify({ mcp: { oauth: true, servers: { tickets: { url: 'http://127.0.0.1:1/mcp' } } } }),
)
after(() => rm(folder, { recursive: true }))

const ADA = 'ada@example.com'

test('without `mcp.oauth` there is nothing at the addresses of OAuth, and keys are asked for as everywhere', async () => {
  const gateway = await startGateway()
  const steps = ['authorize', 'consent', 'token', 'register', 'revoke'].map((step) => `/v3/mcp/oauth/${step}`)
  const known = ['oauth-authorization-server', 'oauth-protected-resource', 'oauth-protected-resource/v3/mcp']
  for (const path of [...steps, ...known.map((name) => `/.well-known/${name}`), '/v3/device'])
    assert.equal((await fetch(gateway.url + path)).status, 404, path)
  assert.equal((await registered(gateway.url)).status, 404)
  assert.equal((await askMcp(gateway.url, 'gate_unknown')).challenge, 'Bearer')
  await gateway.close()
})

test('the address of the gateway must not have a path: programs would look for the documents elsewhere', async () => {
  const env = { GATEHOUSE_CONFIG, PUBLIC_URL: 'https://ai.example/gatehouse' }
  await assert.rejects(() => startGateway({ env }), /mcp\.oauth: needs a PUBLIC_URL without a path/)
})

for (const { name, skip, newStore } of kinds)
  describe(`OAuth for MCP, on ${name}`, { skip }, () => {
    if (skip) return
    const two = new TwoGateways(newStore, { env: { GATEHOUSE_CONFIG, ALLOW_NETWORKS: '127.0.0.0/8' } })
    let owner: Person
    let here = ''
    let there = ''
    let page: DevicePage

    before(async () => {
      owner = await firstOwner(two.here)
      here = two.here.url
      there = two.there.url
      await owner('POST', '/admin/projects', { id: 'research', name: 'Research' })
      await invited(owner, two.here, { email: ADA, role: 'member', project: 'research' })
      page = new DevicePage(here)
      await page.signIn('owner@example.com')
    })

    async function tokens(resource = '/v3/mcp', own = page) {
      const { client_id } = await registered(here)
      const back = await allowed(here, own, authorizeUrl(here, client_id, { resource: here + resource }))
      const { status, body } = await exchange(here, client_id, back.get('code')!)
      assert.equal(status, 200, JSON.stringify(body))
      return { ...body, client_id } as { access_token: string; refresh_token: string; client_id: string }
    }

    async function refusedSoon(token: string) {
      for (const url of [here, there]) while ((await askMcp(url, token)).status !== 401) await sleep(TRY_MS)
    }

    test('the official client finds its way from the 401 to the tools, and renews its token', async () => {
      const program = new Program()
      const transport = () => new StreamableHTTPClientTransport(new URL('/v3/mcp', here), { authProvider: program })
      const first = transport()
      const client = () => new Client({ name: 'an editor', version: '1' })
      await assert.rejects(client().connect(first), /Unauthorized/i)
      const back = await allowed(here, page, program.opened!.href)
      assert.deepEqual([back.get('iss'), back.get('error')], [here, null])
      await first.finishAuth(back)
      const connected = client()
      await connected.connect(transport())
      const { tools } = await connected.listTools()
      assert.ok(tools.some(({ name: tool }) => tool === 'gatehouse_list_models'))
      const { content } = await connected.callTool({ name: 'gatehouse_list_models', arguments: {} })
      assert.match(JSON.stringify(content), /sandbox|local/)
      await connected.close()
      const { access_token, refresh_token, scope } = program.kept!
      assert.equal(scope, 'mcp')
      two.jumpMs += LIFE_OF_TOKEN_MS
      assert.equal((await askMcp(here, access_token)).status, 401)
      program.opened = undefined
      const later = client()
      await later.connect(transport())
      assert.ok((await later.listTools()).tools.length > 0)
      await later.close()
      assert.equal(program.opened, undefined)
      assert.notEqual(program.kept!.access_token, access_token)
      assert.notEqual(program.kept!.refresh_token, refresh_token)
      // The person's own sign-in may have ended meanwhile.
      await page.signIn('owner@example.com')
    })

    test('the metadata names this host, its steps and what it can do', async () => {
      const read = async (path: string) => (await (await fetch(here + path)).json()) as Record<string, unknown>
      const ofServer = await read('/.well-known/oauth-protected-resource/v3/mcp/tickets')
      assert.deepEqual([ofServer.resource, ofServer.authorization_servers], [`${here}/v3/mcp/tickets`, [here]])
      assert.equal((await read('/.well-known/oauth-protected-resource')).resource, `${here}/v3/mcp`)
      const server = await read('/.well-known/oauth-authorization-server')
      assert.deepEqual([server.issuer, server.code_challenge_methods_supported], [here, ['S256']])
      assert.equal(server.client_id_metadata_document_supported, true)
      assert.equal((await fetch(`${here}/.well-known/oauth-protected-resource/v3/mcp/A%20b`)).status, 404)
      const { status, challenge } = await askMcp(here, 'gate_unknown', '/v3/mcp/tickets')
      assert.equal(status, 401)
      const metadata = `${here}/.well-known/oauth-protected-resource/v3/mcp/tickets`
      assert.equal(challenge, `Bearer resource_metadata="${metadata}", scope="mcp"`)
    })

    test('a person who has not signed in does so first, and then sees who asks for what', async () => {
      const { client_id } = await registered(there, [REDIRECT_URI], '<b>Evil</b>\u202e')
      const asked = await openPage(authorizeUrl(there, client_id))
      const consent = await openPage(there + leadsTo(asked))
      assert.deepEqual([consent.status, consent.headers.get('location')], [303, '/v3/device'])
      const grant = consent.headers.get('set-cookie')!
      assert.match(grant, /HttpOnly; SameSite=Strict/)
      const ada = new DevicePage(here)
      await ada.signIn(ADA)
      const back = await openPage(`${here}/v3/device`, `${ada.cookie}; ${grant.split(';')[0]}`)
      assert.deepEqual([back.status, /-grant=;/.test(back.headers.get('set-cookie')!)], [303, true])
      const shown = await openPage(here + back.headers.get('location')!, ada.cookie)
      assert.match(shown.text, /&lt;b&gt;Evil&lt;\/b&gt;</)
      assert.match(shown.text, /a program on this computer/)
      assert.match(shown.text, /\/v3\/mcp</)
      assert.match(shown.text, /Research/)
      assert.doesNotMatch(shown.text, /default"|<script|\u202e/)
      assert.match(shown.headers.get('content-security-policy')!, /default-src 'none'.*frame-ancestors 'none'/)
    })

    test('a token is good for its resource and what is below it, and for nothing else', async () => {
      const { access_token } = await tokens()
      for (const url of [here, there]) assert.equal((await askMcp(url, access_token)).status, 200)
      assert.notEqual((await askMcp(here, access_token, '/v3/mcp/tickets')).status, 401)
      const headers = { authorization: `Bearer ${access_token}`, 'content-type': 'application/json' }
      const body = JSON.stringify({ model: 'sandbox/echo', messages: [{ role: 'user', content: 'Hi' }] })
      for (const path of ['/v3/chat/completions', '/v1/chat/completions', '/v3/mcp/../chat/completions', '/v3/mcpx'])
        assert.notEqual((await fetch(here + path, { method: 'POST', headers, body })).status, 200, path)
      for (const path of ['/v3/models', '/v3/key', '/v3/upload', '/v3/responses/x'])
        assert.equal((await fetch(here + path, { headers })).status, 401, path)
      for (const same of ['/v3/mcp/', '/v3/mcp?tools=all'])
        assert.equal((await askMcp(here, (await tokens(same)).access_token)).status, 200, same)
      const { client_id } = await registered(here)
      const capitals = { resource: `${here.replace('http://', 'HTTP://')}/v3/mcp` }
      assert.equal((await openPage(authorizeUrl(here, client_id, capitals), page.cookie)).status, 200)
      const ofTickets = await tokens('/v3/mcp/tickets')
      assert.equal((await askMcp(here, ofTickets.access_token)).status, 401)
      assert.notEqual((await askMcp(here, ofTickets.access_token, '/v3/mcp/tickets')).status, 401)
    })

    test('the tools are used as that person in that project', async () => {
      const { access_token } = await tokens()
      const message = { jsonrpc: '2.0', id: 1, method: 'tools/call' }
      const params = { name: 'gatehouse_text_moderation', arguments: { provider: 'local', text: 'Hello' } }
      const reply = await fetch(`${here}/v3/mcp`, {
        method: 'POST',
        headers: { authorization: `Bearer ${access_token}`, 'content-type': 'application/json' },
        body: JSON.stringify({ ...message, params }),
      })
      const { result } = (await reply.json()) as { result: { isError?: boolean; _meta: { request_id: string } } }
      assert.equal(result.isError ?? false, false, JSON.stringify(result))
      const me = (await owner('GET', '/admin/me')).body.id
      const request = async () => (await owner('GET', `/admin/requests/${result._meta.request_id}`)).body
      while ((await request()).user === undefined) await sleep(50)
      const { user, project } = await request()
      assert.deepEqual([user, project], [me, 'default'])
    })

    test('a code is exchanged once, with its verifier, by its program; a second time ends the session', async () => {
      const { client_id } = await registered(here)
      const other = await registered(here, ['https://other.example/callback'])
      const code = (await allowed(here, page, authorizeUrl(here, client_id))).get('code')!
      const wrong = [
        await exchange(here, client_id, code, { code_verifier: 'another-verifier-of-at-least-forty-three-chars' }),
        await exchange(here, other.client_id, code),
        await exchange(here, client_id, code, { redirect_uri: 'http://127.0.0.1:1/callback' }),
        await exchange(here, client_id, 'unknown'),
      ]
      for (const { status, body } of wrong) assert.deepEqual([status, body.error], [400, 'invalid_grant'])
      const elsewhere = await exchange(here, client_id, code, { resource: 'https://elsewhere.example/mcp' })
      assert.deepEqual([elsewhere.status, elsewhere.body.error], [400, 'invalid_target'])
      const { status, body } = await exchange(there, client_id, code, { resource: `${there}/v3/mcp` })
      assert.equal(status, 200, JSON.stringify(body))
      assert.deepEqual([body.token_type, body.scope], ['Bearer', 'mcp'])
      assert.equal((await exchange(here, client_id, code)).body.error, 'invalid_grant')
      await refusedSoon(body.access_token)
    })

    test('a code ends after a minute, and with the sign-in of the person', async () => {
      const { client_id } = await registered(here)
      const late = (await allowed(here, page, authorizeUrl(here, client_id))).get('code')!
      two.jumpMs += MINUTE_MS + 1
      assert.equal((await exchange(here, client_id, late)).body.error, 'invalid_grant')
      const own = new DevicePage(here)
      await own.signIn('owner@example.com')
      const left = (await allowed(here, own, authorizeUrl(here, client_id))).get('code')!
      await own.step('sign-out')
      assert.equal((await exchange(here, client_id, left)).body.error, 'invalid_grant')
    })

    test('a refresh token is for its program only, and ends with the session', async () => {
      const { client_id, access_token, refresh_token } = await tokens()
      const other = await registered(here, ['https://other.example/callback'])
      assert.equal((await renewed(here, other.client_id, refresh_token)).body.error, 'invalid_grant')
      const { status, body } = await renewed(there, client_id, refresh_token)
      assert.equal(status, 200, JSON.stringify(body))
      assert.equal((await askMcp(there, body.access_token)).status, 200)
      const headers = { authorization: `Bearer ${body.access_token}` }
      assert.equal((await fetch(`${there}/v3/models`, { headers })).status, 401)
      const revoked = await fetch(`${here}/v3/mcp/oauth/revoke`, {
        method: 'POST',
        headers: { 'content-type': 'application/x-www-form-urlencoded' },
        body: new URLSearchParams({ token: body.refresh_token }),
      })
      assert.equal(revoked.status, 200)
      for (const token of [access_token, body.access_token]) await refusedSoon(token)
      assert.equal((await renewed(here, client_id, body.refresh_token)).body.error, 'invalid_grant')
    })

    test('the session is one of the person, who ends it in the console; losing the role ends it, too', async () => {
      const ada = new DevicePage(here)
      await ada.signIn(ADA)
      const { client_id } = await registered(here)
      const { form } = await consentOf(here, ada, authorizeUrl(here, client_id))
      assert.equal((await decide(here, ada, { ...form, project: 'default' })).status, 422)
      const { body: html } = await decide(here, ada, { ...form, project: 'research' })
      const code = new URL(leadsTo({ text: html })).searchParams.get('code')!
      const { body } = await exchange(here, client_id, code)
      assert.equal((await askMcp(here, body.access_token)).status, 200)
      const { body: people } = await owner('GET', '/admin/members?limit=100')
      const membership = people.items.find(({ project }: { project: string | null }) => project === 'research')
      assert.equal((await owner('DELETE', `/admin/members/${membership.id}`)).status, 204)
      await refusedSoon(body.access_token)
    })

    test('what a program may not ask for is said on a page, and leads nowhere', async () => {
      const { client_id } = await registered(here)
      for (const changes of [
        { client_id: 'unknown' },
        { redirect_uri: 'https://evil.example/callback' },
        { redirect_uri: 'http://127.0.0.1:8976/other' },
        { response_type: 'token' },
        { code_challenge: undefined },
        { code_challenge_method: 'plain' },
        { resource: 'https://elsewhere.example/v3/mcp' },
        { resource: `${here}/v3/chat/completions` },
        { resource: `${here}/v3/mcp/../chat` },
        { resource: `${here}/v3/mcp#part` },
        { resource: `${here.replace('//', '//user@')}/v3/mcp` },
        { state: 'x'.repeat(9_000) },
        { client_id: 'http://127.0.0.1:1/program.json' },
      ]) {
        const { status, text, headers } = await openPage(authorizeUrl(here, client_id, changes), page.cookie)
        assert.deepEqual([status, headers.get('location')], [400, null], JSON.stringify(changes))
        assert.doesNotMatch(text, /http-equiv|evil\.example/)
      }
      const twice = `${authorizeUrl(here, client_id)}&client_id=x`
      assert.equal((await openPage(twice)).status, 400)
      assert.equal((await openPage(`${here}/v3/mcp/oauth/consent?request=unknown`, page.cookie)).status, 400)
      const anyPort = { redirect_uri: 'http://127.0.0.1:1234/callback' }
      assert.equal((await openPage(authorizeUrl(here, client_id, anyPort), page.cookie)).status, 200)
    })

    test('programs that a browser would run, or that lead to plain http, are not registered', async () => {
      for (const uri of [
        ...['javascript:alert(1)', 'data:text/html,x', 'http://example.com/callback', 'https://a:b@example.com/'],
        ...['https://example.com/#x', 'file:///etc/passwd', 'nonsense'],
      ])
        assert.equal((await registered(here, [uri])).error, 'invalid_redirect_uri', uri)
      for (const uri of ['https://example.com/callback', 'cursor://anysphere/callback', 'http://localhost:1/x'])
        assert.equal((await registered(here, [uri])).status, 201, uri)
    })

    test('forms of other pages, and pages of other people, decide nothing', async () => {
      const { client_id } = await registered(here)
      const { form } = await consentOf(here, page, authorizeUrl(here, client_id))
      const foreign = await decide(here, page, form, { origin: 'https://evil.example', 'sec-fetch-site': 'cross-site' })
      assert.equal(foreign.status, 403)
      assert.equal((await decide(here, page, { ...form, person: 'another' })).status, 409)
      const signedOut = await decide(here, new DevicePage(here), form)
      assert.deepEqual([signedOut.status, signedOut.headers.get('location')], [303, '/v3/device'])
      const denied = await decide(here, page, { ...form, decision: 'deny' })
      const back = new URL(leadsTo({ text: denied.body })).searchParams
      assert.deepEqual(
        [back.get('error'), back.get('state'), back.get('code')],
        ['access_denied', 'a state & more', null],
      )
    })

    test('the document at the address of a program says where it may be sent back to', async () => {
      const documents = new Map<string, object | string>()
      const site = createServer((request, response) => {
        const found = documents.get(request.url!)
        if (typeof found === 'string') return void response.writeHead(302, { location: found }).end()
        response.writeHead(found ? 200 : 404).end(JSON.stringify(found ?? {}))
      })
      await new Promise<void>((resolve) => site.listen(0, '127.0.0.1', resolve))
      const base = `http://127.0.0.1:${(site.address() as AddressInfo).port}`
      const id = `${base}/program.json`
      documents.set('/program.json', { client_id: id, client_name: 'Documented', redirect_uris: [REDIRECT_URI] })
      documents.set('/other.json', { client_id: id, redirect_uris: [REDIRECT_URI] })
      documents.set('/moved.json', '/program.json')
      const code = (await allowed(here, page, authorizeUrl(here, id))).get('code')!
      assert.equal((await exchange(there, id, code)).status, 200)
      for (const wrong of [`${base}/other.json`, `${base}/moved.json`, `${base}/none.json`, base])
        assert.equal((await openPage(authorizeUrl(here, wrong), page.cookie)).status, 400, wrong)
      await new Promise((resolve) => site.close(resolve))
    })

    test('tokens of a program open nothing of coding agents, whose sign-in is off; the audit log has every step', async () => {
      const { refresh_token } = await tokens()
      assert.equal((await renew(here, refresh_token)).status, 404)
      assert.equal((await redeem(here, { device_code: 'x' })).status, 404)
      const { body } = await operator(two.here)('GET', '/admin/audit?limit=200')
      const actions = new Set(body.items.map(({ action }: { action: string }) => action))
      for (const action of ['mcp.confirm', 'mcp.sign_in', 'mcp.deny', 'agent.replay', 'agent.sign_out'])
        assert.ok(actions.has(action), action)
      assert.doesNotMatch(JSON.stringify(body), /gate_session_/)
    })

    test('keys work as before', async () => {
      assert.equal((await askMcp(here, API_KEY)).status, 200)
    })
  })

type Kept = { access_token: string; token_type: string; refresh_token?: string; scope?: string }

/** What the official client asks of the program that it is a part of. */
class Program implements OAuthClientProvider {
  opened: URL | undefined
  kept: Kept | undefined
  #client: { client_id: string } | undefined
  #verifier = ''
  readonly redirectUrl = REDIRECT_URI
  readonly clientMetadata = { client_name: 'An editor', redirect_uris: [REDIRECT_URI] }

  clientInformation() {
    return this.#client
  }
  saveClientInformation(client: { client_id: string }) {
    this.#client = client
  }
  tokens() {
    return this.kept
  }
  saveTokens(tokens: Kept) {
    this.kept = tokens
  }
  redirectToAuthorization(url: URL) {
    this.opened = url
  }
  saveCodeVerifier(verifier: string) {
    this.#verifier = verifier
  }
  codeVerifier() {
    return this.#verifier
  }
}
