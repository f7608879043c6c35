import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Role } from '../../contract/admin/roles.ts'
import { type Actor, adminKeyActor, authorOf, CLI_ACTOR } from './actor.ts'
import { haveSameRights, mayGrant } from './grants.ts'
import { homeOf, INSTALLATION, may, mayAnything, whereMay } from './may.ts'

const actor = (...held: [Role, string | null][]): Actor => ({
  kind: 'user',
  id: 'me',
  name: 'me@example.com',
  via: 'session',
  memberships: held.map(([role, project]) => ({ organization: 'default', project, role })),
})

test('a role holds where it was given', () => {
  const manager = actor(['manager', 'research'])
  assert.ok(may(manager, 'keys.write', { organization: 'default', project: 'research', user: 'another' }))
  assert.ok(!may(manager, 'keys.write', { organization: 'default', project: 'search', user: 'me' }))
  assert.ok(!may(manager, 'keys.write', INSTALLATION))
  assert.ok(may(actor(['manager', null]), 'keys.write', { organization: 'default', project: 'search' }))
  assert.ok(!may(actor(['owner', null]), 'keys.write', { organization: 'other', project: 'search' }))
})

test('own things are those of the user, where the role is', () => {
  const member = actor(['member', 'research'])
  assert.ok(may(member, 'keys.write', { organization: 'default', project: 'research', user: 'me' }))
  assert.ok(!may(member, 'keys.write', { organization: 'default', project: 'research', user: 'other' }))
  assert.ok(!may(member, 'keys.write', { organization: 'default', project: 'research', user: null }))
  assert.ok(!may(member, 'keys.write', { organization: 'default', project: 'search', user: 'me' }))
  assert.deepEqual(whereMay(member, 'keys.read'), {
    all: false,
    organizations: [],
    projects: [],
    own: { user: 'me', organizations: [], projects: ['research'] },
  })
})

test('what belongs to the organization needs a role on the organization', () => {
  assert.ok(!may(actor(['owner', 'research']), 'config.write', { organization: 'default', project: 'research' }))
  assert.ok(may(actor(['admin', null]), 'config.write'))
})

test('several roles add up', () => {
  const both = actor(['member', 'research'], ['manager', 'search'], ['auditor', null])
  assert.deepEqual(whereMay(both, 'keys.read'), {
    all: false,
    organizations: [],
    projects: ['search'],
    own: { user: 'me', organizations: [], projects: ['research'] },
  })
  assert.deepEqual(whereMay(both, 'usage.read'), {
    all: false,
    organizations: ['default'],
    projects: ['search'],
    own: { user: 'me', organizations: [], projects: ['research'] },
  })
  assert.deepEqual(whereMay(CLI_ACTOR, 'usage.read'), { all: true })
})

test('an actor cannot give a role that can do more than their own', () => {
  const cases: [Actor, Role, string | null, boolean][] = [
    [actor(['owner', null]), 'owner', null, true],
    [actor(['admin', null]), 'owner', null, false],
    [actor(['admin', null]), 'admin', null, true],
    [actor(['admin', null]), 'auditor', null, false],
    [actor(['manager', 'research']), 'manager', 'research', true],
    [actor(['manager', 'research']), 'member', 'search', false],
    [actor(['manager', 'research']), 'member', null, false],
    [actor(['manager', null]), 'admin', null, false],
    // On a project these can do no more than a manager, but they stand above one.
    [actor(['manager', 'research']), 'owner', 'research', false],
    [actor(['manager', 'research']), 'admin', 'research', false],
    [actor(['admin', null]), 'owner', 'research', false],
    [actor(['admin', null]), 'admin', 'research', true],
    [actor(['manager', 'research'], ['owner', 'search']), 'owner', 'research', false],
    [actor(['manager', 'research']), 'billing', 'research', true],
    [actor(['member', 'research']), 'member', 'research', true],
    [actor(['member', 'research']), 'manager', 'research', false],
    [actor(), 'member', 'research', false],
  ]
  for (const [who, role, project, expected] of cases)
    assert.equal(
      mayGrant(who, role, { organization: 'default', project }),
      expected,
      `${JSON.stringify(who.memberships)} gives ${role} on ${project}`,
    )
})

test('the admin key and the command line have the rights of an owner, and the audit log names them', () => {
  for (const one of [adminKeyActor(), adminKeyActor('1'), CLI_ACTOR]) assert.ok(may(one, 'audit.export'))
  const names = [adminKeyActor(), adminKeyActor('1'), CLI_ACTOR, actor()].map((one) => authorOf(one).actor)
  assert.deepEqual(names, ['admin_key', 'admin_key:1', 'cli', 'user:me'])
})

test('a role on an organization reaches no other organization, and not the installation unless it is the one that runs it', () => {
  const customer: Actor = { ...actor(), memberships: [{ organization: 'acme', project: null, role: 'owner' }] }
  assert.ok(may(customer, 'keys.write', { organization: 'acme', project: 'search' }))
  assert.ok(!may(customer, 'keys.write', { organization: 'default', project: 'search' }))
  for (const permission of ['config.read', 'audit.read', 'organizations.create', 'identities.confirm'] as const) {
    assert.ok(!may(customer, permission) && !mayAnything(customer, permission), permission)
    assert.ok(may(actor(['owner', null]), permission), permission)
  }
  assert.deepEqual([homeOf(customer, 'projects.create'), homeOf(CLI_ACTOR, 'projects.create')], ['acme', 'default'])
  assert.ok(mayGrant(customer, 'owner', { organization: 'acme', project: null }))
  assert.ok(mayGrant(customer, 'auditor', { organization: 'acme', project: 'search' }))
  assert.ok(!mayGrant(customer, 'member', { organization: 'default', project: 'search' }))
  assert.ok(!mayGrant(actor(['owner', null]), 'member', { organization: 'acme', project: null }))
  assert.ok(mayGrant(CLI_ACTOR, 'owner', { organization: 'acme', project: null }))
  const admin: Actor = { ...customer, memberships: [{ organization: 'acme', project: null, role: 'admin' }] }
  assert.ok(!mayGrant(admin, 'owner', { organization: 'acme', project: null }), 'nor can an admin remove an owner')
})

test('a role on a project stays one if the project goes to another organization', () => {
  assert.ok(may(actor(['manager', 'research']), 'keys.write', { organization: 'acme', project: 'research' }))
})

test('a role on a project changes nothing for an actor who may do at least as much on the organization', () => {
  const place = { organization: 'default', project: 'research' }
  const same = (onOrganization: Role, onProject: Role) => {
    const before = actor([onOrganization, null]).memberships
    return haveSameRights(before, [...before, ...actor([onProject, 'research']).memberships], place)
  }
  for (const role of ['member', 'manager', 'admin', 'auditor', 'billing', 'owner'] as const)
    assert.ok(same('owner', role))
  assert.ok(same('manager', 'member') && same('auditor', 'auditor'))
  // On a project an admin can do no more than a manager, but gives and takes the role of an admin.
  for (const role of ['admin', 'owner'] as const) assert.ok(!same('manager', role))
  assert.ok(!same('auditor', 'member') && !same('member', 'manager') && !same('billing', 'auditor'))
  const elsewhere = { organization: 'other', project: null, role: 'owner' } as const
  assert.ok(!haveSameRights([elsewhere], [elsewhere, ...actor(['member', 'research']).memberships], place))
})
