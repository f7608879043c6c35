import assert from 'node:assert/strict'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, describe, test } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { CALLING_ROLES } from '../../../src/contract/admin/roles.ts'
import { rowOf } from '../../../src/tenants/people/roles.ts'
import { storeKinds } from '../../fakes/stores.ts'
import {
  beginSignIn,
  DevicePage,
  redeem,
  renew,
  sendForm,
  signAgentIn,
  statusOfCall,
  type Tokens,
} from '../../gateway/agent-client.ts'
import { API_KEY, startGateway } from '../../gateway/gateway-under-test.ts'
import {
  type Client,
  clientOf,
  firstOwner,
  invited,
  operator,
  PASSWORD,
  signedIn,
} from '../../gateway/people-under-test.ts'
import { TwoGateways } from './two-gateways.ts'

// People sign in with coding agents. Each step reaches another process than the one before.

const HOUR_MS = 3_600_000
const folder = await mkdtemp(join(tmpdir(), 'gatehouse-agents-'))
const GATEHOUSE_CONFIG = join(folder, 'config.json')
await writeFile(GATEHOUSE_CONFIG, JSON.stringify({ agents: { signIn: true } }))
after(() => rm(folder, { recursive: true }))

test('a session needs a role with which keys are made', () => {
  assert.deepEqual([...CALLING_ROLES], Object.keys(rowOf('keys.write').roles))
})

test('without `agents.signIn` there is nothing at the addresses of coding agents', async () => {
  const gateway = await startGateway()
  const paths = ['.well-known/oauth-authorization-server', 'api/hello', 'v1/models', 'managed/settings']
  for (const path of ['/v3/device', '/v3/device/callback', ...paths.map((one) => `/v3/claude/${one}`)])
    assert.equal((await fetch(gateway.url + path)).status, 404, path)
  for (const path of ['device_authorization', 'token', 'revoke'])
    assert.equal((await sendForm(`${gateway.url}/v3/claude/oauth/${path}`, {})).status, 404, path)
  assert.equal((await sendForm(`${gateway.url}/v3/device`, {})).status, 404)
  assert.equal((await fetch(`${gateway.url}/v3/claude/oauth/token`)).status, 404)
  assert.equal(await statusOfCall(gateway.url, API_KEY), 404)
  await gateway.close()
})

for (const { name, skip, newStore } of await storeKinds())
  describe(`coding agents, on ${name}`, { skip }, () => {
    if (skip) return
    const two = new TwoGateways(newStore, { env: { GATEHOUSE_CONFIG } })
    let owner: Client
    let here = ''
    let there = ''
    const ADA = 'ada@example.com'

    before(async () => {
      owner = await firstOwner(two.here)
      here = two.here.url
      there = two.there.url
      await owner('POST', '/admin/projects', { id: 'research', name: 'Research' })
      await invited(owner, two.here, { email: ADA, role: 'member', project: 'research' })
    })

    /** Eventually, in any process: within the five seconds that are promised, on a machine that is not busy. */
    async function refusedSoon(token: string) {
      for (const url of [here, there])
        for (let tries = 0; (await statusOfCall(url, token)) !== 401; tries++) {
          assert.ok(tries < 600, 'the token is still accepted')
          await sleep(100)
        }
    }

    async function person(email: string): Promise<Client & { id: string }> {
      return await invited(owner, two.here, { email, role: 'member', project: 'research' })
    }

    async function auditActions(): Promise<string[]> {
      const { body } = await operator(two.here)('GET', '/admin/audit?limit=100')
      return body.items.map(({ action }: { action: string }) => action)
    }

    test('the metadata names the addresses of all steps', async () => {
      const base = `${here}/v3/claude`
      const answer = await fetch(`${base}/.well-known/oauth-authorization-server`)
      const body = (await answer.json()) as Record<string, unknown>
      assert.equal(body.issuer, base)
      assert.equal(body.device_authorization_endpoint, `${base}/oauth/device_authorization`)
      assert.equal(body.token_endpoint, `${base}/oauth/token`)
      assert.equal(body.revocation_endpoint, `${base}/oauth/revoke`)
      assert.deepEqual(body.grant_types_supported, ['urn:ietf:params:oauth:grant-type:device_code', 'refresh_token'])
      assert.equal((await fetch(`${base}/api/hello`, { method: 'HEAD' })).status, 200)
    })

    test('a person signs in, confirms the code and the agent calls models as that person in the project', async () => {
      const codes = await beginSignIn(here, { device_name: "Ada's <laptop>" })
      assert.match(codes.user_code, /^[BCDFGHJKLMNPQRSTVWXZ]{4}-[BCDFGHJKLMNPQRSTVWXZ]{4}$/)
      assert.equal(codes.verification_uri, `${here}/v3/device`)
      const page = new DevicePage(there)
      const first = await page.show()
      assert.match(
        first.headers.get('content-security-policy')!,
        /default-src 'none'.*form-action 'self'.*frame-ancestors 'none'/,
      )
      assert.doesNotMatch(first.body, /<script/)
      await page.signIn(ADA)
      const shown = await page.show()
      assert.doesNotMatch(shown.body, /name="code"[^>]* value=/)
      assert.equal((await redeem(here, codes)).body.error, 'authorization_pending')
      const asked = await page.step('code', { code: codes.user_code.toLowerCase().replace('-', ' ') })
      assert.equal(asked.status, 200)
      assert.match(asked.body, /claude-cli\/2\.1\.300/)
      assert.match(asked.body, /Ada&#39;s &lt;laptop&gt;/)
      assert.match(asked.body, /127\.0\.0\.1/)
      assert.match(asked.body, /Research/)
      assert.equal((await page.confirm(codes.user_code, 'research')).status, 200)
      const { status, body, headers } = await redeem(there, codes)
      assert.equal(status, 200, JSON.stringify(body))
      assert.equal(headers.get('cache-control'), 'no-store')
      assert.equal(body.email, ADA)
      assert.equal(body.expires_in, 8 * 3_600)
      assert.match(body.access_token, /^gate_session_/)
      for (const url of [here, there]) assert.equal(await statusOfCall(url, body.access_token), 200)
      await two.here.gateway.services.calls.ledger.flush()
      const { body: log } = await operator(two.here)('GET', '/admin/requests?limit=5&project=research')
      const me = await signedIn(two.here, ADA)
      const { body: account } = await me('GET', '/admin/me')
      assert.deepEqual([log.items[0].project, log.items[0].user], ['research', account.id])
      assert.ok((await auditActions()).includes('agent.sign_in'))
    })

    test('the list of models has those that Claude Code shows, with names to show', async () => {
      const { access_token } = await signAgentIn(here, ADA, 'research')
      const answer = await fetch(`${here}/v3/claude/v1/models?limit=1000`, {
        headers: { authorization: `Bearer ${access_token}` },
      })
      const { data } = (await answer.json()) as { data: { id: string; display_name: string }[] }
      assert.equal(answer.status, 200)
      for (const { id, display_name } of data)
        assert.ok(/(^|\/)(claude|anthropic)/.test(id) && display_name.length > 0, id)
    })

    test('a code is redeemed once, also by requests at the same time', async () => {
      const codes = await beginSignIn(here)
      const page = new DevicePage(here)
      await page.signIn(ADA)
      await page.confirm(codes.user_code, 'research')
      const answers = await Promise.all([here, there, here, there].map((url) => redeem(url, codes)))
      assert.deepEqual(answers.map(({ status }) => status).sort(), [200, 400, 400, 400])
      for (const { status, body } of answers) if (status === 400) assert.equal(body.error, 'invalid_grant')
      assert.equal((await redeem(here, codes)).body.error, 'invalid_grant')
    })

    test('a code that is denied, unknown or too old gets no tokens, and one that asks too often has to wait', async () => {
      const page = new DevicePage(here)
      await page.signIn(ADA)
      const denied = await beginSignIn(here)
      await page.step('decide', { code: denied.user_code, decision: 'deny' })
      assert.equal((await redeem(there, denied)).body.error, 'access_denied')
      assert.equal((await page.confirm(denied.user_code, 'research')).status, 404)
      assert.equal((await redeem(here, { device_code: 'x'.repeat(43) })).body.error, 'invalid_grant')
      const hasty = await beginSignIn(here)
      assert.equal((await redeem(here, hasty)).body.error, 'authorization_pending')
      assert.equal((await redeem(there, hasty)).body.error, 'slow_down')
      const old = await beginSignIn(here)
      const confirmed = await beginSignIn(here)
      await page.confirm(confirmed.user_code, 'research')
      two.jumpMs += 600_001
      assert.equal((await redeem(there, old)).body.error, 'expired_token')
      assert.equal((await redeem(there, confirmed)).body.error, 'expired_token')
      const late = new DevicePage(here)
      await late.signIn(ADA)
      assert.equal((await late.step('code', { code: old.user_code })).status, 404)
      assert.ok((await auditActions()).includes('agent.deny'))
    })

    test('requests that no OAuth client sends are refused in the words of OAuth', async () => {
      const token = `${here}/v3/claude/oauth/token`
      assert.equal((await sendForm(token, {})).body.error, 'invalid_request')
      assert.equal((await sendForm(token, { grant_type: 'password' })).body.error, 'unsupported_grant_type')
      assert.equal((await sendForm(token, { grant_type: 'refresh_token' })).body.error, 'invalid_request')
      const large = await sendForm(token, { grant_type: 'x'.repeat(40_000) })
      assert.deepEqual([large.status, large.body.error], [413, 'invalid_request'])
    })

    test('codes cannot be guessed: after a few wrong ones the page refuses all, and every one is in the audit log', async () => {
      const guesser = await person('guesser@example.com')
      assert.ok(guesser)
      const { user_code } = await beginSignIn(here)
      const page = new DevicePage(here)
      await page.signIn('guesser@example.com')
      const statuses: number[] = []
      for (let tries = 0; tries < 11; tries++)
        statuses.push((await page.step('code', { code: `BBBB-BBB${'BCDFGHJKLMN'[tries]}` })).status)
      assert.deepEqual(statuses, [...Array(10).fill(404), 429])
      assert.equal((await page.step('code', { code: user_code })).status, 429)
      assert.ok((await auditActions()).includes('agent.wrong_code'))
    })

    test('forms of other origins, and forms without an origin, are refused', async () => {
      const codes = await beginSignIn(here)
      const page = new DevicePage(here)
      await page.signIn(ADA)
      const form = { code: codes.user_code, project: 'research', decision: 'confirm' }
      const forged: Record<string, string>[] = [
        { origin: 'https://evil.example' },
        { origin: 'null' },
        { 'sec-fetch-site': 'cross-site' },
        { origin: two.here.adminUrl },
        { host: 'evil.example', origin: 'http://evil.example' },
      ]
      for (const headers of forged)
        assert.equal((await page.step('decide', form, headers)).status, 403, JSON.stringify(headers))
      const bare = await sendForm(`${here}/v3/device`, { step: 'decide', ...form }, { cookie: page.cookie! })
      assert.equal(bare.status, 403)
      assert.equal((await redeem(here, codes)).body.error, 'authorization_pending')
    })

    test('the cookie of the page opens nothing on the admin listener, and that of the console nothing here', async () => {
      const page = new DevicePage(here)
      await page.signIn(ADA)
      const token = page.cookie!.split('=')[1]!
      for (const cookie of [page.cookie!, `gatehouse=${token}`])
        assert.equal((await clientOf(two.here, { cookie })('GET', '/admin/me')).status, 401)
      const answer = await clientOf(two.here)('POST', '/admin/sessions', { email: ADA, password: PASSWORD })
      const [name, secret] = answer.headers.get('set-cookie')!.split(';')[0]!.split('=')
      for (const cookie of [`${name}=${secret}`, `gatehouse-device=${secret}`])
        assert.match((await new DevicePage(here, cookie).show()).body, /<h1>Sign in</)
      assert.match((await page.show()).body, /Enter the code/)
    })

    test('a person gets into no project without a role there', async () => {
      const codes = await beginSignIn(here)
      const page = new DevicePage(here)
      await page.signIn(ADA)
      assert.equal((await page.confirm(codes.user_code, 'default')).status, 422)
      const auditor = 'auditor@example.com'
      await invited(owner, two.here, { email: auditor, role: 'auditor', project: 'research' })
      const other = new DevicePage(here)
      await other.signIn(auditor)
      assert.match((await other.step('code', { code: codes.user_code })).body, /No project/)
      assert.equal((await other.confirm(codes.user_code, 'research')).status, 422)
    })

    test('who is disabled between the confirmation and the redemption gets no tokens', async () => {
      const late = await person('late@example.com')
      const codes = await beginSignIn(here)
      const page = new DevicePage(here)
      await page.signIn('late@example.com')
      await page.confirm(codes.user_code, 'research')
      const { body: me } = await late('GET', '/admin/me')
      assert.equal((await owner('PATCH', `/admin/users/${me.id}`, { disabled: true })).status, 200)
      assert.equal((await redeem(there, codes)).body.error, 'access_denied')
      assert.ok((await auditActions()).includes('agent.refuse'))
    })

    const ENDS: Record<string, (id: string, tokens: Tokens, own: Client) => Promise<unknown>> = {
      'the person is disabled': (id) => owner('PATCH', `/admin/users/${id}`, { disabled: true }),
      'the person is deleted': (id) => owner('DELETE', `/admin/users/${id}`),
      'the membership is removed': async (id) => owner('DELETE', `/admin/members/${await memberOf(id)}`),
      'the role may have no keys': async (id) =>
        owner('PATCH', `/admin/members/${await memberOf(id)}`, { role: 'auditor' }),
      'an administrator ends the sessions': (id) => owner('DELETE', `/admin/users/${id}/sessions`),
      'the person ends all sessions': (_id, _tokens, own) => own('DELETE', '/admin/sessions'),
      'the person ends this session': async (_id, _tokens, own) => {
        const { body } = await own('GET', '/admin/sessions')
        const agent = body.items.find(({ kind }: { kind: string }) => kind === 'agent')
        return own('DELETE', `/admin/sessions/${agent.id}`)
      },
      'the person changes the password': (_id, _tokens, own) =>
        own('PATCH', '/admin/me', { password: `${PASSWORD} again`, current_password: PASSWORD }),
      'the agent signs out': (_id, { access_token: token }) => sendForm(`${there}/v3/claude/oauth/revoke`, { token }),
      'the agent signs out with its refresh token': (_id, { refresh_token: token }) =>
        sendForm(`${there}/v3/claude/oauth/revoke`, { token }),
    }

    async function memberOf(user: string): Promise<string> {
      const { body } = await owner('GET', `/admin/members?user=${user}`)
      return body.items[0].id
    }

    for (const [index, [when, end]] of Object.entries(ENDS).entries())
      test(`a session ends in all processes if ${when}`, async () => {
        const email = `end${index}@example.com`
        const own = await person(email)
        const { body: me } = await own('GET', '/admin/me')
        const tokens = await signAgentIn(here, email, 'research')
        for (const url of [here, there]) assert.equal(await statusOfCall(url, tokens.access_token), 200)
        const ended = (await end(me.id, tokens, await signedIn(two.here, email))) as { status: number; body: object }
        assert.ok(ended.status < 300, JSON.stringify(ended.body))
        await refusedSoon(tokens.access_token)
        assert.equal((await renew(here, tokens.refresh_token)).body.error, 'invalid_grant')
      })

    test('an unknown token is revoked without an error', async () => {
      const answer = await sendForm(`${here}/v3/claude/oauth/revoke`, { token: 'unknown' })
      assert.deepEqual([answer.status, answer.body], [200, {}])
    })

    test('a refresh token is used once; two terminals at once get the same new tokens, and go on', async () => {
      const tokens = await signAgentIn(here, ADA, 'research')
      const answers = await Promise.all([here, there, here].map((url) => renew(url, tokens.refresh_token)))
      for (const { status } of answers) assert.equal(status, 200)
      const [one, ...others] = answers.map(({ body }) => body as Tokens)
      for (const other of others)
        assert.deepEqual([other.access_token, other.refresh_token], [one!.access_token, one!.refresh_token])
      for (const url of [here, there])
        for (const token of [tokens.access_token, one!.access_token]) assert.equal(await statusOfCall(url, token), 200)
      const next = (await renew(there, one!.refresh_token)).body as Tokens
      // The second terminal is two renewals behind, and still within the minute.
      assert.equal((await renew(here, tokens.refresh_token)).body.refresh_token, next.refresh_token)
    })

    test('a refresh token that comes again after a minute ends the session', async () => {
      const tokens = await signAgentIn(here, ADA, 'research')
      const next = (await renew(here, tokens.refresh_token)).body as Tokens
      assert.equal(await statusOfCall(there, next.access_token), 200)
      two.jumpMs += 60_001
      assert.equal((await renew(there, tokens.refresh_token)).body.error, 'invalid_grant')
      await refusedSoon(next.access_token)
      assert.equal((await renew(here, next.refresh_token)).body.error, 'invalid_grant')
      assert.ok((await auditActions()).includes('agent.replay'))
    })

    test('an access token is valid for eight hours, a session for 14 days after its last renewal', async () => {
      let tokens = await signAgentIn(here, ADA, 'research')
      two.jumpMs += 8 * HOUR_MS
      for (const url of [here, there]) assert.equal(await statusOfCall(url, tokens.access_token), 401)
      for (const days of [13, 13]) {
        two.jumpMs += days * 24 * HOUR_MS
        tokens = (await renew(there, tokens.refresh_token)).body
        for (const url of [here, there]) assert.equal(await statusOfCall(url, tokens.access_token), 200)
      }
      two.jumpMs += 14 * 24 * HOUR_MS
      assert.equal((await renew(here, tokens.refresh_token)).body.error, 'invalid_grant')
    })

    test('the tokens of agents are no keys: they are in no list, and cannot be changed, rotated or used on the admin listener', async () => {
      const { access_token } = await signAgentIn(here, ADA, 'research')
      const { body } = await operator(two.here)('GET', '/admin/keys?project=research')
      assert.deepEqual(body.items, [])
      const session = (await (await signedIn(two.here, ADA))('GET', '/admin/sessions')).body.items.find(
        ({ kind }: { kind: string }) => kind === 'agent',
      )
      assert.equal(session.project, 'research')
      for (const [method, path, sent] of [
        ['GET', '', undefined],
        ['PATCH', '', { name: 'mine' }],
        ['POST', '/rotate', {}],
        ['DELETE', '', undefined],
      ] as const)
        assert.equal((await operator(two.here)(method, `/admin/keys/${session.id}${path}`, sent)).status, 404)
      const answer = await clientOf(two.here, { authorization: `Bearer ${access_token}` })('GET', '/admin/me')
      assert.equal(answer.status, 401)
    })
  })
