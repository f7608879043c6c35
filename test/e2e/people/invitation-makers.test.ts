import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import { issueKey } from '../../../src/tenants/access/keys.ts'
import { CLI } from '../../../src/tenants/audit/author.ts'
import { storeKinds } from '../../fakes/stores.ts'
import { type GatewayUnderTest, startGateway } from '../../gateway/gateway-under-test.ts'
import {
  type Client,
  clientOf,
  firstOwner,
  invited,
  operator,
  PASSWORD,
  signedIn,
} from '../../gateway/people-under-test.ts'

// A link gives what its maker could give today: links of a maker who has lost the right, however that happened, are refused.

for (const { name, skip, newStore } of await storeKinds())
  describe(`makers of links, on ${name}`, { skip }, () => {
    let gateway: GatewayUnderTest
    let owner: Client
    let admin: Client
    let addresses = 0
    const closing = new AsyncDisposableStack()
    before(async () => {
      gateway = await startGateway({ newStore })
      closing.defer(() => gateway.close())
      owner = await firstOwner(gateway)
      admin = operator(gateway)
      await admin('POST', '/admin/organizations', { name: 'Acme', id: 'acme' })
    })
    after(() => closing.disposeAsync())

    test('links of a service account that was disabled are refused', async () => {
      const { id } = (await owner('POST', '/admin/users', { kind: 'service', name: 'robot', role: 'admin' })).body
      const { token } = (await owner('POST', `/admin/users/${id}/tokens`, { name: 'x' })).body
      const link = await invitation(clientOf(gateway, { authorization: `Bearer ${token}` }), { role: 'member' })
      assert.equal((await owner('PATCH', `/admin/users/${id}`, { disabled: true })).status, 200)
      assert.equal((await owner('PATCH', `/admin/users/${id}`, { disabled: false })).status, 200)
      assert.equal((await accept(link)).status, 409)
    })

    test('links of an admin key that was revoked are refused, and open no account', async () => {
      const context = { ...gateway.gateway.services.tenants, author: CLI }
      const { id, key } = await issueKey({ name: 'x', kind: 'admin' }, context)
      const holder = clientOf(gateway, { authorization: `Bearer ${key}` })
      const link = await invitation(holder, { role: 'owner' })
      const email = newAddress()
      const closed = await holder('POST', '/admin/users', { kind: 'person', name: 'x', email, role: 'owner' })
      const account = await holder('POST', `/admin/users/${closed.body.id}/invitation`)
      assert.equal(account.status, 201)
      assert.equal((await owner('DELETE', `/admin/keys/${id}`)).status, 204)
      assert.equal((await accept(link)).status, 409)
      assert.equal((await accept(account.body.token)).status, 409)
    })

    test('an invitation to a project that went to another organization is refused', async () => {
      const { id } = (await owner('POST', '/admin/projects', { name: 'moving' })).body
      const manager = await invited(owner, gateway, { email: newAddress(), role: 'manager', project: id })
      const [ofOwner, ofManager, ofKey] = [
        await invitation(owner, { role: 'manager', project: id }),
        await invitation(manager, { role: 'member', project: id }),
        await invitation(admin, { role: 'member', project: id }),
      ]
      assert.equal((await admin('PATCH', `/admin/projects/${id}`, { organization: 'acme' })).status, 200)
      assert.equal((await accept(ofOwner)).status, 409)
      // The role of the manager went along, and the admin key has the rights of an owner there too.
      for (const link of [ofManager, ofKey])
        assert.deepEqual((await accept(link)).body.memberships, [{ organization: 'acme', project: id, role: 'member' }])
    })

    test('a role on a project that changes nothing for an owner ends neither sessions nor invitations', async () => {
      const { id: project } = (await owner('POST', '/admin/projects', { name: 'managed' })).body
      const manager = await invited(owner, gateway, { email: newAddress(), role: 'manager', project })
      const other = await invited(owner, gateway, { email: newAddress(), role: 'owner' })
      const link = await invitation(other, { role: 'member', project })
      const added = await manager('POST', '/admin/members', { user: other.id, role: 'member', project })
      assert.equal(added.status, 201, JSON.stringify(added.body))
      const of = `/admin/members/${added.body.id}`
      assert.equal((await manager('PATCH', of, { role: 'manager' })).status, 200)
      assert.equal((await manager('DELETE', of)).status, 204)
      assert.equal((await other('GET', '/admin/me')).status, 200)
      assert.equal((await accept(link)).status, 201)
    })

    test('a role on a project that gives or takes something ends sessions, and invitations that were made with it', async () => {
      const { id: project } = (await owner('POST', '/admin/projects', { name: 'changing' })).body
      const email = newAddress()
      const auditor = await invited(owner, gateway, { email, role: 'auditor' })
      const added = await owner('POST', '/admin/members', { user: auditor.id, role: 'manager', project })
      assert.equal((await auditor('GET', '/admin/me')).status, 401)
      const manager = await signedIn(gateway, email)
      const link = await invitation(manager, { role: 'member', project })
      assert.equal((await owner('DELETE', `/admin/members/${added.body.id}`)).status, 204)
      assert.equal((await manager('GET', '/admin/me')).status, 401)
      assert.equal((await accept(link)).status, 409)
    })

    async function invitation(maker: Client, role: { role: string; project?: string }): Promise<string> {
      const { status, body } = await maker('POST', '/admin/invitations', { email: newAddress(), ...role })
      assert.equal(status, 201, JSON.stringify(body))
      return body.token
    }

    function accept(token: string) {
      return clientOf(gateway)('POST', '/admin/invitations/accept', { token, name: 'x', password: PASSWORD })
    }

    function newAddress(): string {
      return `person-${addresses++}@example.com`
    }
  })
