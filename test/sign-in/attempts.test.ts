import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { countForAddress } from '../../src/tenants/sign-in/attempts.ts'
import { type GatewayUnderTest, startGateway } from '../gateway/gateway-under-test.ts'
import { clientOf, operator, PASSWORD } from '../gateway/people-under-test.ts'

// A client that has used up the attempts of its address cannot go on by inventing another address, at any endpoint.

const BURST = 30
const REAL = '10.3.3.3'

let direct: GatewayUnderTest
let proxied: GatewayUnderTest
before(async () => {
  const TRUSTED_PROXIES = '127.0.0.1/32'
  ;[direct, proxied] = await Promise.all([startGateway(), startGateway({ env: { TRUSTED_PROXIES } })])
})
after(() => Promise.all([direct.close(), proxied.close()]))

const DOORS: Record<string, object> = {
  '/admin/sessions': { email: 'unknown@example.com', password: 'wrong' },
  '/admin/setup': { token: 'wrong', email: 'a@example.com', name: 'A', password: PASSWORD },
  '/admin/invitations/accept': { token: 'wrong', name: 'A', password: PASSWORD },
}

test('without a trusted proxy, X-Forwarded-For says nothing', async () => {
  await useUp(direct, '127.0.0.1')
  for (const [path, body] of Object.entries(DOORS))
    for (const invented of ['1.2.3.4', '::1', '127.0.0.2, 1.2.3.4'])
      assert.equal((await knock(direct, path, { body, from: invented })).status, 429, `${path} ${invented}`)
})

test('behind a proxy, only what the proxy adds counts', async () => {
  await useUp(proxied, REAL)
  for (const [path, body] of Object.entries(DOORS)) {
    for (const invented of ['1.2.3.4, ', '127.0.0.1, ', 'nonsense, ', ''])
      assert.equal(
        (await knock(proxied, path, { body, from: `${invented}${REAL}` })).status,
        429,
        `${path} ${invented}`,
      )
    assert.notEqual((await knock(proxied, path, { body, from: `${REAL}, 10.4.4.4` })).status, 429, path)
  }
})

test('the audit log has the address that the proxy says', async () => {
  await knock(proxied, '/admin/sessions', { body: DOORS['/admin/sessions']!, from: '1.2.3.4, 10.5.5.5' })
  const { body } = await operator(proxied)('GET', '/admin/audit?action=sign_in.fail')
  assert.equal(body.items[0].ip, '10.5.5.5')
})

test('an invitation that has expired opens nothing', async () => {
  const admin = operator(proxied)
  const { body } = await admin('POST', '/admin/invitations', { email: 'late@example.com', role: 'member' })
  await proxied.gateway.services.calls.db.query('UPDATE invitations SET expires_at = 1 WHERE id = $1', [body.id])
  const answer = { token: body.token, name: 'Late', password: PASSWORD }
  assert.equal((await knock(proxied, '/admin/invitations/accept', { body: answer, from: '10.6.6.6' })).status, 409)
})

test('an invitation that opens an account does not count for the address, because a company may sit behind one', async () => {
  const from = '10.7.7.7'
  const admin = operator(proxied)
  for (let count = 1; count < BURST; count++) await countForAddress(proxied.gateway.services.calls.db, from)
  for (const name of ['one', 'other']) {
    const { body } = await admin('POST', '/admin/invitations', { email: `${name}@example.com`, role: 'member' })
    const accepted = await knock(proxied, '/admin/invitations/accept', {
      body: { token: body.token, name, password: PASSWORD },
      from,
    })
    assert.equal(accepted.status, 201, JSON.stringify(accepted.body))
  }
})

async function useUp({ gateway }: GatewayUnderTest, address: string): Promise<void> {
  for (let count = 0; count < BURST; count++) await countForAddress(gateway.services.calls.db, address)
}

function knock(gateway: GatewayUnderTest, path: string, { body, from }: { body: object; from: string }) {
  return clientOf(gateway, { 'x-forwarded-for': from })('POST', path, body)
}
