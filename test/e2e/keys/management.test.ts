import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import { storeKinds } from '../../fakes/stores.ts'
import { API_KEY } from '../../gateway/gateway-under-test.ts'
import { type LimitsGateway, startLimitsGateway } from '../../gateway/limits-gateway.ts'

// Programs that manage keys at /v3/manage: who may, what becomes of keys and their balances, and what the reports say.

type Answer = { status: number; body: ReturnType<typeof JSON.parse>; headers: Headers }
type Manager = (method: string, path: string, body?: object) => Promise<Answer>

const NOON = Date.parse('2028-03-08T12:00:00Z')
const NOWHERE = '3f1c2b6e-8a4d-4f0e-9b7a-2c5d6e7f8a90'
const ROUTES: [method: string, path: string, scope: string | undefined, body?: object][] = [
  ['POST', '/auth-keys', 'manage:mint', { name: 'worker', scopes: ['manage:read'] }],
  ['GET', '/auth-keys', 'manage:mint'],
  ['DELETE', `/auth-keys/${NOWHERE}`, 'manage:mint'],
  ['GET', '/whoami', undefined],
  ['POST', '/keys', 'manage:write', { name: 'by route' }],
  ['GET', '/keys', 'manage:read'],
  ['GET', `/keys/${NOWHERE}`, 'manage:read'],
  ['PATCH', `/keys/${NOWHERE}`, 'manage:write', { name: 'other' }],
  ['DELETE', `/keys/${NOWHERE}`, 'manage:write'],
  ['POST', `/keys/${NOWHERE}/rotate`, 'manage:write'],
  ['GET', `/keys/${NOWHERE}/usage?step=1`, 'manage:read'],
  ['GET', '/usage?step=1', 'manage:read'],
  ['GET', '/members', 'manage:read'],
  ['PATCH', '/members/missing@example.com/role', 'manage:write', { role: 'member' }],
]

for (const { name, skip, newStore } of await storeKinds()) {
  describe(`/v3/manage on ${name}`, { skip }, () => {
    let now = NOON
    let scene: LimitsGateway
    let admin: (method: string, path: string, body?: object) => Promise<Answer>
    let account: string
    let issuer: Manager
    let worker: Manager

    before(async () => {
      const config = { manage: { enabled: true, timezone: 'Europe/Paris' } }
      scene = await startLimitsGateway({ now: () => now }, {}, { config, newStore })
      admin = async (method, path, body) => await read(await scene.admin(method, path, body))
      account = await serviceAccount({ role: 'admin' })
      issuer = managerWith((await token(account, ['manage:mint'])).token)
      const made = await issuer('POST', '/auth-keys', { name: 'ci', scopes: ['manage:read', 'manage:write'] })
      assert.equal(made.status, 201, JSON.stringify(made.body))
      worker = managerWith(made.body.secret)
    })
    after(() => scene.close())

    async function read(response: Response): Promise<Answer> {
      const text = await response.text()
      return { status: response.status, body: text === '' ? undefined : JSON.parse(text), headers: response.headers }
    }

    function managerWith(key: string): Manager {
      return async (method, path, body) => {
        const headers = { authorization: `Bearer ${key}`, ...(body && { 'content-type': 'application/json' }) }
        const url = path.startsWith('http') ? path : `${scene.gateway.url}/v3/manage${path}`
        return await read(await fetch(url, { method, headers, ...(body && { body: JSON.stringify(body) }) }))
      }
    }

    async function serviceAccount(place: object): Promise<string> {
      const { status, body } = await admin('POST', '/admin/users', { name: 'robot', ...place })
      assert.equal(status, 201, JSON.stringify(body))
      return body.id
    }

    async function token(user: string, scopes: string[] | undefined): Promise<{ id: string; token: string }> {
      const { status, body } = await admin('POST', `/admin/users/${user}/tokens`, {
        name: 't',
        ...(scopes && { scopes }),
      })
      assert.equal(status, 201, JSON.stringify(body))
      return body
    }

    async function created(body: object): Promise<ReturnType<typeof JSON.parse>> {
      const answer = await worker('POST', '/keys/', body)
      assert.equal(answer.status, 201, JSON.stringify(answer.body))
      return answer.body
    }

    const chat = (key: string, more: object = {}) =>
      scene.chat({ model: 'fake/priced', ...more }, { authorization: `Bearer ${key}` })

    async function shown(id: string) {
      const { status, body } = await worker('GET', `/keys/${id}/`)
      assert.equal(status, 200, JSON.stringify(body))
      return body
    }

    async function audit(filter: string) {
      return (await admin('GET', `/admin/audit?${filter}`)).body.items as ReturnType<typeof JSON.parse>[]
    }

    test('a key without the scope of a route is refused, and the refusal is in the audit log', async () => {
      const scopes = ['manage:mint', 'manage:read', 'manage:write']
      for (const [method, path, needed, body] of ROUTES) {
        for (const scope of scopes) {
          const manager = managerWith((await token(account, [scope])).token)
          const answer = await manager(method, path, body)
          const isAllowed = needed === undefined || scope === needed
          assert.equal(answer.status === 403, !isAllowed, `${method} ${path} ${scope} ${answer.status}`)
          assert.ok(answer.status < 500, `${method} ${path} ${answer.status}`)
          if (!isAllowed) assert.match(answer.body.error.message, new RegExp(`does not have the scope ${needed}`))
        }
      }
      const refused = await audit('action=access.refuse')
      assert.ok(
        refused.some(({ actor, object }) => /^management_key:/.test(actor) && object === 'POST /v3/manage/keys'),
      )
    })

    test('only a management key is one: other keys get a 401 that says which key is needed', async () => {
      const plain = (await token(await serviceAccount({ role: 'admin' }), undefined)).token
      for (const key of [API_KEY, plain, 'gate_manage_made-up', `gate_manage_${'x'.repeat(43)}`, 'sk-eden-1', '']) {
        for (const [method, path, , body] of ROUTES) {
          const answer = await managerWith(key)(method, path, body)
          assert.equal(answer.status, 401, `${method} ${path} ${key}`)
          assert.match(answer.body.error.message, /needs a management key/)
          assert.equal(answer.headers.get('www-authenticate'), 'Bearer')
        }
      }
      const { token: key } = await token(account, ['manage:read', 'manage:write'])
      assert.equal((await chat(key)).status, 401, 'a management key calls no model')
      const response = await fetch(`${scene.gateway.adminUrl}/admin/me`, {
        headers: { authorization: `Bearer ${key}` },
      })
      assert.equal(response.status, 401, 'and is nothing on the admin listener')
    })

    test('an issuer key makes keys that make none, and revokes them', async () => {
      for (const scopes of [['manage:mint'], ['manage:read', 'manage:mint'], [], ['manage:all']])
        assert.equal((await issuer('POST', '/auth-keys', { name: 'x', scopes })).status, 422, String(scopes))
      const wrong = await admin('POST', `/admin/users/${account}/tokens`, {
        name: 'x',
        scopes: ['manage:mint', 'manage:read'],
      })
      assert.equal(wrong.status, 422)
      const { body: made } = await issuer('POST', '/auth-keys', { name: 'once', scopes: ['manage:read'] })
      assert.match(made.secret, /^gate_manage_/)
      assert.equal(made.masked, `gate_manage_…${made.secret.slice(-4)}`)
      const once = managerWith(made.secret)
      const { body: me } = await once('GET', '/whoami')
      assert.deepEqual(me, {
        id: made.id,
        name: 'once',
        organization: 'default',
        scopes: ['manage:read'],
        expire_time: null,
      })
      assert.equal((await once('POST', '/auth-keys', { name: 'x', scopes: ['manage:read'] })).status, 403)

      assert.equal((await issuer('DELETE', `/auth-keys/${made.id}`)).status, 204)
      assert.equal((await once('GET', '/whoami')).status, 401, 'revoked at once')
      assert.equal((await issuer('DELETE', `/auth-keys/${made.id}`)).status, 204, 'revoking again changes nothing')
      assert.equal((await issuer('DELETE', `/auth-keys/${NOWHERE}`)).status, 404)
      const { body: listed } = await issuer('GET', '/auth-keys')
      assert.ok(listed.results.every((one: object) => !('secret' in one)))
      assert.equal(listed.results.find(({ id }: { id: string }) => id === made.id).revoked, true)
      const own = listed.results.find(({ scopes }: { scopes: string[] }) => scopes.includes('manage:mint'))
      assert.equal((await issuer('DELETE', `/auth-keys/${own.id}`)).status, 403, 'not one that makes keys')
      const rows = await audit(`object=token:${made.id}`)
      assert.deepEqual(rows.map(({ action }) => action).sort(), ['token.create', 'token.revoke'])
      assert.ok(rows.every(({ actor, via }) => /^management_key:/.test(actor) && via === 'management_key'))
      assert.doesNotMatch(JSON.stringify(rows), new RegExp(made.secret))
    })

    test('a key is created, used, changed, rotated and revoked', async () => {
      const key = await created({ name: 'production-v1' })
      const { secret, ...rest } = key
      assert.match(secret, /^gate_live_/)
      assert.deepEqual(rest, {
        id: key.id,
        name: 'production-v1',
        token_type: 'api_token',
        member: null,
        project: 'personal',
        masked: `gate_live_…${secret.slice(-4)}`,
        active_balance: true,
        balance: null,
        balance_reset_period: 'none',
        balance_reset_amount: null,
        expire_time: null,
        revoked: false,
        revoked_at: null,
      })
      assert.equal((await chat(secret)).status, 200)
      assert.equal((await worker('POST', '/keys', { name: 'production-v1' })).status, 409, 'the name is taken')
      const { body: renamed } = await worker('PATCH', `/keys/${key.id}`, { name: 'production-v2' })
      assert.equal(renamed.name, 'production-v2')
      assert.ok(!('secret' in renamed))

      const { body: rotated } = await worker('POST', `/keys/${key.id}/rotate/`)
      assert.deepEqual(Object.keys(rotated).sort(), ['masked', 'name', 'secret'])
      assert.equal((await chat(secret)).status, 401, 'the old secret is refused at once')
      assert.equal((await chat(rotated.secret)).status, 200)

      const revoked = await worker('DELETE', `/keys/${key.id}/`)
      assert.equal(revoked.status, 200)
      assert.equal(revoked.body.revoked, true)
      assert.equal((await chat(rotated.secret)).status, 401)
      assert.equal((await worker('POST', `/keys/${key.id}/rotate`)).status, 404, 'a revoked key is never revived')
      assert.equal((await worker('PATCH', `/keys/${key.id}`, { name: 'x' })).status, 409)
      const { body: listed } = await worker('GET', '/keys')
      assert.equal(listed.results.find(({ id }: { id: string }) => id === key.id).revoked, true, 'it stays in the list')
      await created({ name: 'production-v2' })
      const rows = await audit(`object=key:${key.id}`)
      assert.deepEqual(rows.map(({ action }) => action).reverse(), [
        'key.create',
        'key.update',
        'key.rotate',
        'key.revoke',
      ])
      assert.ok(rows.every(({ actor }) => /^management_key:/.test(actor)))
    })

    test('what a request says wrongly is a 422, and nothing is made', async () => {
      const soon = new Date(now + 3_600_000).toISOString()
      const wrong: [object, string][] = [
        [{}, 'name'],
        [{ name: 'w', balance: '-1' }, 'balance'],
        [{ name: 'w', balance: '1e3' }, 'balance'],
        [{ name: 'w', balance: 'NaN' }, 'balance'],
        [{ name: 'w', balance: -0.5 }, 'balance'],
        [{ name: 'w', balance_reset_period: 'daily' }, 'balance_reset_amount'],
        [{ name: 'w', balance_reset_period: 'daily', balance_reset_amount: '0' }, 'balance_reset_amount'],
        [{ name: 'w', balance_reset_amount: '5' }, 'balance_reset_amount'],
        [{ name: 'w', balance_reset_period: 'yearly', balance_reset_amount: '5' }, 'balance_reset_period'],
        [{ name: 'w', expire_time: soon }, 'expire_time'],
        [{ name: 'w', expire_time: 'tomorrow' }, 'expire_time'],
        [{ name: 'w', member: 'missing@example.com' }, 'member'],
        [{ name: 'w', project: 'no-such-project' }, 'project'],
        [{ name: 'w', token_type: 'admin' }, 'token_type'],
        [{ name: 'w', scopes: ['chat'] }, 'scopes'],
      ]
      for (const [body, field] of wrong) {
        const answer = await worker('POST', '/keys', body)
        assert.equal(answer.status, 422, JSON.stringify([body, answer.body]))
        assert.match(JSON.stringify(answer.body.detail), new RegExp(field), JSON.stringify(body))
      }
      const { body } = await worker('GET', '/keys')
      assert.ok(body.results.every((one: { name: string }) => one.name !== 'w'))
      const { id } = await created({ name: 'to change' })
      assert.equal((await worker('PATCH', `/keys/${id}`, { token_type: 'sandbox_api_token' })).status, 422, 'fixed')
    })

    test('a sandbox key gets simulated answers, and an expiry is kept', async () => {
      const expires = new Date(now + 2 * 86_400_000).toISOString()
      const key = await created({ name: 'ci', token_type: 'sandbox_api_token', expire_time: expires })
      assert.match(key.secret, /^gate_sandbox_/)
      assert.deepEqual([key.token_type, key.expire_time], ['sandbox_api_token', expires])
      const before = scene.fake.requests.length
      assert.equal((await chat(key.secret)).status, 200)
      assert.equal(scene.fake.requests.length, before, 'no provider was asked')
      assert.equal((await worker('PATCH', `/keys/${key.id}`, { expire_time: null })).body.expire_time, null)
    })

    test('a balance is spent, stops the key at the end, and is filled again', async () => {
      const key = await created({ name: 'team-backend', balance: '50.00', active_balance: true })
      assert.equal(key.balance, 50)
      const spent = await chat(key.secret)
      const { cost } = (await spent.json()) as { cost: number }
      assert.ok(cost > 0)
      assert.equal((await shown(key.id)).balance.toFixed(9), (50 - cost).toFixed(9))

      const { body: empty } = await worker('PATCH', `/keys/${key.id}/`, { balance: '0' })
      assert.equal(empty.balance, 0)
      assert.equal((await chat(key.secret)).status, 402)
      assert.equal((await worker('PATCH', `/keys/${key.id}/`, { active_balance: false })).body.active_balance, false)
      assert.equal((await chat(key.secret)).status, 200, 'not enforced')
      const { body: full } = await worker('PATCH', `/keys/${key.id}/`, { balance: '100.00', active_balance: true })
      assert.deepEqual([full.balance, full.active_balance], [100, true])
      assert.equal((await chat(key.secret)).status, 200)
      const budget = await admin('GET', `/admin/budgets/balance-${key.id}`)
      assert.deepEqual(
        [budget.status, budget.body.applies_to, budget.body.limit],
        [200, `key:${key.id}`, 100],
        'one truth',
      )

      const { body: unlimited } = await worker('PATCH', `/keys/${key.id}/`, { balance: null })
      assert.equal(unlimited.balance, null)
      assert.equal((await admin('GET', `/admin/budgets/balance-${key.id}`)).status, 404)
      const { body: again } = await worker('PATCH', `/keys/${key.id}/`, { balance: '7' })
      assert.equal(again.balance, 7, 'what was spent before does not count')
      const actions = (await audit(`object=budget:balance-${key.id}`)).map(({ action }) => action)
      for (const action of ['budget.create', 'budget.update', 'budget.delete', 'budget.set_left'])
        assert.ok(actions.includes(action), `${action} in ${actions}`)
    })

    test('a change that its balance refuses changes nothing', async () => {
      const key = await created({ name: 'of an operator', balance: '5' })
      const budget = await admin('PATCH', `/admin/budgets/balance-${key.id}`, { window: 'hour' })
      assert.equal(budget.status, 200, JSON.stringify(budget.body))
      const { status, body } = await worker('PATCH', `/keys/${key.id}`, { name: 'renamed', balance: '9' })
      assert.equal(status, 409, JSON.stringify(body))
      assert.equal((await shown(key.id)).name, 'of an operator')
      const { token: reader } = await token(await serviceAccount({ role: 'auditor' }), ['manage:write'])
      const refused = await managerWith(reader)('PATCH', `/keys/${key.id}`, { name: 'renamed', balance: '9' })
      assert.equal(refused.status, 404, 'a role that changes no keys')
      assert.equal((await shown(key.id)).name, 'of an operator')
    })

    test('usage names the kind of work, whichever endpoint did it', async () => {
      const key = await created({ name: 'of all kinds', token_type: 'sandbox_api_token' })
      const headers = { authorization: `Bearer ${key.secret}`, 'content-type': 'application/json' }
      for (const [path, body] of [
        ['embeddings', { model: 'openai/text-embedding-3-small', input: 'x' }],
        ['moderations', { input: 'x' }],
        ['rerank', { model: 'cohere/rerank-v3.5', query: 'x', documents: ['y'] }],
        ['audio/speech', { model: 'openai/tts-1', input: 'x', voice: 'alloy' }],
        ['images/generations', { model: 'openai/gpt-image-2', prompt: 'x' }],
        ['universal-ai', { model: 'text/moderation/google', input: { text: 'x' } }],
        ['search', { model: 'tavily', query: 'x' }],
      ] as const) {
        const init = { method: 'POST', headers, body: JSON.stringify(body) }
        const response = await fetch(`${scene.gateway.url}/v3/${path}`, init)
        assert.equal(response.status, 200, path)
        await response.arrayBuffer()
      }
      const { body } = await worker('GET', `/usage?step=1&key_id=${key.id}`)
      const sums = Object.values(body.usage[0].data)[0] as Record<string, { details: number }>
      assert.deepEqual(Object.fromEntries(Object.entries(sums).map(([name, { details }]) => [name, details])), {
        text__embeddings: 1,
        text__moderation: 2,
        text__rerank: 1,
        audio__tts: 1,
        image__generation: 1,
        web__search: 1,
      })
      const { body: audio } = await worker('GET', `/usage?step=1&key_id=${key.id}&feature=audio&subfeature=tts`)
      assert.deepEqual(Object.keys(Object.values(audio.usage[0].data)[0]!), ['audio__tts'])
    })

    test('a periodic balance is full again at midnight of the time zone of the config file', async () => {
      const daily = await created({ name: 'team-daily', balance_reset_amount: '10.00', balance_reset_period: 'daily' })
      assert.deepEqual(
        [daily.balance, daily.balance_reset_amount, daily.balance_reset_period, daily.active_balance],
        [10, 10, 'daily', true],
      )
      const begun = {
        name: 'begun',
        balance: '3',
        balance_reset_amount: 10,
        balance_reset_period: 'monthly',
        active_balance: false,
      }
      const monthly = await created(begun)
      assert.deepEqual([monthly.balance, monthly.balance_reset_amount, monthly.active_balance], [3, 10, true])
      const weekly = await created({
        name: 'more',
        balance: '25',
        balance_reset_amount: '10',
        balance_reset_period: 'weekly',
      })
      assert.deepEqual([weekly.balance, weekly.balance_reset_amount], [25, 10], 'more than full, for this period')
      await worker('PATCH', `/keys/${daily.id}`, { balance: '0' })
      assert.equal((await shown(daily.id)).balance_reset_amount, 10)
      assert.equal((await chat(daily.secret)).status, 402)

      // The 8th of March is a Wednesday; Paris is an hour ahead of UTC.
      now = Date.parse('2028-03-08T22:59:59Z')
      assert.equal((await chat(daily.secret)).status, 402)
      now = Date.parse('2028-03-08T23:00:00Z')
      assert.equal((await shown(daily.id)).balance, 10)
      assert.equal((await chat(daily.secret)).status, 200)
      assert.equal((await shown(weekly.id)).balance, 25)
      now = Date.parse('2028-03-12T23:00:00Z')
      assert.equal((await shown(weekly.id)).balance, 10, 'on Monday, and what was more is over')
      assert.equal((await shown(monthly.id)).balance, 3)
      now = Date.parse('2028-03-31T22:00:00Z')
      assert.equal((await shown(monthly.id)).balance, 10, 'on the first, in summer time')

      const { body: raised } = await worker('PATCH', `/keys/${monthly.id}`, { balance_reset_amount: '20' })
      assert.deepEqual([raised.balance, raised.balance_reset_amount], [10, 20], 'counts from the next period on')
      const { body: once } = await worker('PATCH', `/keys/${monthly.id}`, { balance_reset_period: 'none' })
      assert.deepEqual([once.balance, once.balance_reset_period, once.balance_reset_amount], [10, 'none', null])
      now = Date.parse('2028-05-31T22:00:00Z')
      assert.equal((await shown(monthly.id)).balance, 10, 'no more resets')
      now = NOON
    })

    test('a list has pages, and says where the next one is', async () => {
      const { body: all } = await worker('GET', '/keys/?limit=100')
      assert.equal(all.results.length, all.total_count)
      assert.deepEqual([all.limit, all.offset, all.next, all.previous], [100, 0, null, null])
      const seen: string[] = []
      for (let path: string | null = '/keys?limit=2'; path !== null; ) {
        const { status, body }: Answer = await worker('GET', path)
        assert.equal(status, 200)
        assert.equal(body.total_count, all.total_count)
        seen.push(...body.results.map(({ id }: { id: string }) => id))
        path = body.next
      }
      assert.deepEqual(
        seen,
        all.results.map(({ id }: { id: string }) => id),
      )
      const { body: second } = await worker('GET', '/keys?limit=2&offset=2')
      assert.match(second.previous, /offset=0$/)
      for (const query of ['limit=101', 'limit=0', 'offset=-1', 'limit=x', 'page=2'])
        assert.equal((await worker('GET', `/keys?${query}`)).status, 422, query)
      const ids = new Set(seen)
      const listed = (await admin('GET', '/admin/keys?limit=1000')).body.items as { id: string; kind: string }[]
      for (const { id, kind } of listed) assert.equal(ids.has(id), kind !== 'admin', `${kind}`)
    })

    test('another organization is not there', async () => {
      await admin('POST', '/admin/organizations', { name: 'Acme', id: 'acme' })
      const { body: project } = await admin('POST', '/admin/projects', { name: 'p', organization: 'acme' })
      const foreign = await serviceAccount({ role: 'admin', organization: 'acme' })
      const stranger = managerWith((await token(foreign, ['manage:read', 'manage:write'])).token)
      const own = await stranger('POST', '/keys', { name: 'production-v2', balance: 5 })
      assert.equal(own.status, 201, JSON.stringify(own.body))
      assert.equal(own.body.project, project.id, 'the only project of the organization')
      const ours = await created({ name: 'ours', balance: '5' })
      for (const [asker, id] of [
        [stranger, ours.id],
        [worker, own.body.id],
      ] as const) {
        for (const [method, path, body] of [
          ['GET', ''],
          ['PATCH', '', { name: 'taken over' }],
          ['PATCH', '', { balance: '1000' }],
          ['DELETE', ''],
          ['POST', '/rotate'],
          ['GET', '/usage?step=1'],
        ] as [string, string, object?][]) {
          const answer = await asker(method, `/keys/${id}${path}`, body)
          const never = await asker(method, `/keys/${NOWHERE}${path}`, body)
          assert.equal(answer.status, 404, `${method} ${path}`)
          assert.deepEqual(answer.body, never.body, 'as one that never was')
        }
        assert.equal((await asker('GET', `/usage?step=1&key_id=${id}`)).status, 404)
      }
      const otherIssuer = managerWith((await token(foreign, ['manage:mint'])).token)
      const { body: keys } = await issuer('GET', '/auth-keys')
      for (const { id } of keys.results) assert.equal((await otherIssuer('DELETE', `/auth-keys/${id}`)).status, 404)
      const { body: listed } = await stranger('GET', '/keys')
      assert.deepEqual(
        listed.results.map(({ id }: { id: string }) => id),
        [own.body.id],
      )
      for (const name of ['inside', 'ours']) {
        const elsewhere = await stranger('POST', '/keys', { name, project: 'personal' })
        assert.equal(elsewhere.status, 403, 'not into the project of another organization, whatever names it has')
      }
      assert.equal((await stranger('GET', '/whoami')).body.organization, 'acme')
      assert.deepEqual((await stranger('GET', '/members')).body.results, [])
      const { body: usage } = await stranger('GET', '/usage?step=1')
      assert.deepEqual(usage, { usage: [] })
    })

    test('a role on one project reaches its keys and no others', async () => {
      const { body: project } = await admin('POST', '/admin/projects', { name: 'narrow' })
      const narrow = await serviceAccount({ role: 'manager', project: project.id })
      const manager = managerWith((await token(narrow, ['manage:read', 'manage:write'])).token)
      const own = await manager('POST', '/keys', { name: 'narrow key', balance: '1' })
      assert.equal(own.status, 201, JSON.stringify(own.body))
      assert.equal(own.body.project, project.id)
      const { body } = await manager('GET', '/keys')
      assert.deepEqual(
        body.results.map(({ name }: { name: string }) => name),
        ['narrow key'],
      )
      const other = await created({ name: 'wide' })
      assert.equal((await manager('GET', `/keys/${other.id}`)).status, 404)
      await worker('PATCH', `/keys/${own.body.id}`, { balance: '2' })
      const above = await manager('PATCH', `/keys/${own.body.id}`, { balance: '1000' })
      assert.ok([200, 403].includes(above.status), JSON.stringify(above.body))
      const looking = await serviceAccount({ role: 'auditor' })
      const auditor = managerWith((await token(looking, ['manage:read', 'manage:write'])).token)
      assert.equal(
        (await auditor('POST', '/keys', { name: 'x' })).status,
        403,
        'scopes give nothing that the role does not',
      )
    })

    test('members are listed by e-mail address, keys are theirs, and their roles change', async () => {
      const people = []
      for (const email of ['zoe@example.com', 'amir@example.com']) {
        const { body } = await admin('POST', '/admin/users', { kind: 'person', email, name: email, role: 'member' })
        people.push(body)
      }
      const { body } = await worker('GET', '/members?limit=1')
      assert.equal(body.total_count, 2)
      assert.deepEqual(body.results, [
        {
          email: 'amir@example.com',
          fullname: 'amir@example.com',
          is_confirmed: false,
          role: 'member',
          is_org_owner: false,
        },
      ])
      assert.equal((await worker('GET', body.next)).body.results[0].email, 'zoe@example.com')
      const key = await created({ name: 'of zoe', member: 'Zoe@example.com' })
      assert.equal(key.member, 'zoe@example.com')
      const changed = await worker('PATCH', '/members/zoe@example.com/role', { role: 'manager' })
      assert.deepEqual([changed.status, changed.body.role], [200, 'manager'])
      const owner = await worker('PATCH', '/members/zoe@example.com/role', { role: 'owner' })
      assert.equal(owner.status, 403, 'an admin makes no owners')
      assert.equal((await worker('PATCH', '/members/missing@example.com/role', { role: 'member' })).status, 404)
      assert.ok((await audit('action=member.update')).every(({ actor }) => /^management_key:/.test(actor)))
    })

    test('usage is by key, day and feature, with filters', async () => {
      const member = 'lin@example.com'
      await admin('POST', '/admin/users', { kind: 'person', email: member, name: 'Lin', role: 'member' })
      const key = await created({ name: 'measured', member })
      const costs: number[] = []
      for (const at of ['2028-03-05T22:30:00Z', '2028-03-05T23:30:00Z', '2028-03-07T12:00:00Z']) {
        now = Date.parse(at)
        costs.push(((await (await chat(key.secret)).json()) as { cost: number }).cost)
      }
      await chat(key.secret, { model: 'fake/unpriced' })
      now = NOON
      const usage = async (query: string) => {
        const { status, body } = await worker('GET', `/usage/?${query}`)
        assert.equal(status, 200, JSON.stringify(body))
        return body.usage
      }
      const march = 'begin=2028-03-01&end=2028-04-01'
      const [own] = await usage(`step=1&${march}&token=measured`)
      assert.equal(own.token, 'measured')
      assert.deepEqual(Object.keys(own.data), ['2028-03-05', '2028-03-06', '2028-03-07'], 'days of Paris')
      const { text__chat } = own.data['2028-03-07']
      assert.deepEqual([text__chat.details, text__chat.unpriced], [2, 1])
      assert.equal(text__chat.total_cost, costs[2])
      assert.deepEqual(text__chat.cost_per_provider, { fake: costs[2] })
      const sum = (entries: { data: Record<string, Record<string, { total_cost: number }>> }[]) =>
        entries
          .flatMap(({ data }) => Object.values(data).flatMap((day) => Object.values(day)))
          .reduce((all, { total_cost }) => all + total_cost, 0)
      const total = costs.reduce((all, one) => all + one, 0)
      for (const step of [1, 2, 3, 4])
        assert.equal(sum(await usage(`step=${step}&${march}&key_id=${key.id}`)).toFixed(9), total.toFixed(9))
      assert.deepEqual(Object.keys((await usage(`step=2&${march}&key_id=${key.id}`))[0].data), [
        '2028-02-28',
        '2028-03-06',
      ])
      assert.deepEqual(Object.keys((await usage(`step=3&${march}&key_id=${key.id}`))[0].data), ['2028-03-01'])
      assert.deepEqual(Object.keys((await usage(`step=4&${march}&key_id=${key.id}`))[0].data), ['2028-01-01'])
      const { body: ofKey } = await worker('GET', `/keys/${key.id}/usage/?step=3&${march}`)
      assert.equal(sum(ofKey.usage).toFixed(9), total.toFixed(9))

      for (const query of ['provider=fake', 'feature=text', 'subfeature=chat', `user=${member}`, 'billing=own_keys'])
        assert.equal(sum(await usage(`step=3&${march}&token=measured&${query}`)).toFixed(9), total.toFixed(9), query)
      for (const query of [
        'provider=openai',
        'feature=image',
        'subfeature=ocr',
        'billing=eden',
        'phase=x',
        'token=missing',
      ])
        assert.deepEqual(
          await usage(`step=3&${march}&key_id=${key.id}&${query}`.replace(/key_id=[^&]*&(?=token)/, '')),
          [],
          query,
        )
      const byUser = await usage(`step=3&${march}&group_by=user&user=${member}`)
      assert.deepEqual(
        byUser.map(({ user }: { user: string }) => user),
        [member],
      )
      assert.equal(byUser[0].total_cost.toFixed(9), total.toFixed(9))
      assert.equal((await worker('GET', '/usage?step=1&user=missing@example.com')).status, 404)
      const recent = await usage(`step=1&key_id=${key.id}`)
      assert.deepEqual(Object.keys(recent[0].data), ['2028-03-05', '2028-03-06', '2028-03-07'], 'the last seven days')
      for (const query of [
        '',
        'step=0',
        'step=5',
        'step=1&begin=2028-03-01',
        'step=1&end=2028-03-01',
        'step=1&begin=2028-03-02&end=2028-03-01',
        'step=1&begin=2028-01-01&end=2029-01-03',
        'step=1&begin=2028-02-30&end=2028-03-10',
        'step=1&stage=x',
        'step=1&key_id=1',
      ])
        assert.equal((await worker('GET', `/usage?${query}`)).status, 422, query)
    })
  })
}

test('there is nothing at /v3/manage while the config file does not turn it on', async () => {
  const scene = await startLimitsGateway()
  try {
    for (const [method, path, , body] of ROUTES) {
      const headers = { authorization: `Bearer ${API_KEY}`, ...(body && { 'content-type': 'application/json' }) }
      const url = `${scene.gateway.url}/v3/manage${path}`
      const answer = await fetch(url, { method, headers, ...(body && { body: JSON.stringify(body) }) })
      assert.equal(answer.status, 404, `${method} ${path}`)
      await answer.body?.cancel()
    }
  } finally {
    await scene.close()
  }
})
