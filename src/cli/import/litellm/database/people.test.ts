import assert from 'node:assert/strict'
import { test } from 'node:test'
import { peopleOf } from './people.ts'
import { countUnrestricted, organizationsOf, projectsOf } from './teams.ts'

const KNOWN = { projects: [], organizations: [] }
const NAMES = { names: new Set<string>(), groups: new Map() }

test('teams are projects with readable ids that stay the same, unique names, and the models that they allow', () => {
  const rows = [{ organization_id: 'o', organization_alias: 'Acme & Co', models: ['openai/*'] }]
  const organizations = organizationsOf(rows, KNOWN)
  const context = { ...NAMES, organizations, organizationRows: new Map([['o', rows[0]!]]), known: KNOWN }
  const teams = [
    { team_id: '1', team_alias: 'Research', organization_id: 'o', models: ['openai/gpt-4o', 'anthropic/*'] },
    { team_id: '2', team_alias: 'Research', models: [] },
    { team_id: '3' },
    { team_id: '4', blocked: true },
    { team_id: 'litellm-dashboard' },
    { team_id: '5', organization_id: 'o', models: ['groq/*'] },
  ]
  const projects = [...projectsOf(teams, context).values()]
  assert.deepEqual(
    projects.map(({ name, policy }) => [name, policy?.models]),
    [
      ['Research', ['openai/gpt-4o']],
      ['Research (2)', undefined],
      ['3', undefined],
      ['5', ['no-default-models']],
    ],
  )
  assert.match(projects[0]!.id, /^research-[0-9a-f]{10}$/)
  assert.match(projects[0]!.organization, /^acme-co-[0-9a-f]{10}$/)
  assert.equal(projects[1]!.organization, 'default')
  assert.equal(new Set(projects.map(({ id }) => id)).size, 4)
  // A team that was renamed since the last import is the same project.
  const renamed = projectsOf([{ team_id: '1', team_alias: 'Other' }], {
    ...context,
    known: { ...KNOWN, projects: ['personal', projects[0]!.id] },
  })
  assert.equal(renamed.get('1')!.id, projects[0]!.id)
})

test('a team with more models than a policy may have is counted, because its project allows all models', () => {
  const context = { ...NAMES, organizations: new Map(), organizationRows: new Map(), known: KNOWN }
  const modelsOf = (length: number) => Array.from({ length }, (_, index) => `openai/model-${index}`)
  const teams = [500, 501].map((length) => ({ team_id: String(length), models: modelsOf(length) }))
  const lengths = [...projectsOf(teams, context).values()].map(({ policy }) => policy?.models?.length)
  assert.deepEqual(lengths, [500, undefined])
  assert.equal(countUnrestricted([...teams, { ...teams[1], blocked: true }], context), 1)
})

test('people get the roles that they have, never an owner, never more than their teams, and no password', () => {
  const projects = new Map([
    ['a', { id: 'a-1' }],
    ['b', { id: 'b-1' }],
    ['c', { id: 'c-1' }],
  ]) as never
  const { users, members, strangers } = peopleOf({
    users: [
      { user_id: 'default_user_id', user_role: 'proxy_admin' },
      { user_id: 'root', user_email: 'Root@Example.com ', user_role: 'proxy_admin', password: 'scrypt:SECRET' },
      { user_id: 'view', user_email: 'view@example.com', user_role: 'proxy_admin_viewer' },
      { user_id: 'mia', user_email: 'mia@example.com', user_role: 'internal_user', user_alias: 'Mia' },
      { user_id: 'quiet', user_email: 'quiet@example.com', user_role: 'internal_user_viewer' },
      { user_id: 'lead', user_email: 'lead@example.com', user_role: 'org_admin' },
      { user_id: 'robot', user_role: 'internal_user' },
      { user_id: 'known', user_email: 'known@example.com' },
    ],
    teams: [
      {
        team_id: 'a',
        organization_id: 'o',
        members_with_roles: [
          { user_id: 'mia', role: 'user' },
          { user_id: 'mia', role: 'admin' },
          { user_email: 'QUIET@example.com', role: 'user' },
          { user_id: 'unknown', role: 'admin' },
        ],
      },
      { team_id: 'b', organization_id: 'o', members_with_roles: {}, admins: ['known'], members: ['robot', 'lead'] },
      { team_id: 'c', members_with_roles: [{ user_id: 'robot', role: 'user' }] },
      { team_id: 'left out', members_with_roles: [{ user_id: 'mia', role: 'admin' }] },
    ],
    organizationMembers: [
      { user_id: 'lead', organization_id: 'o', user_role: 'org_admin' },
      { user_id: 'mia', organization_id: 'o', user_role: 'internal_user' },
    ],
    projects,
    known: new Map([['known@example.com', 'user-here']]),
  })
  const nameOf = new Map(Array.from(users, ([source, { id }]) => [id, source]))
  const roles = members.map(({ userId, role, project }) => `${nameOf.get(userId)} ${role} ${project ?? 'everything'}`)
  assert.deepEqual(roles.sort(), [
    'known manager b-1',
    'lead manager a-1',
    'lead manager b-1',
    'mia manager a-1',
    'mia member personal',
    'quiet member a-1',
    'robot member b-1',
    'robot member c-1',
    'robot member personal',
    'root admin everything',
    'view auditor everything',
  ])
  assert.equal(strangers, 1)
  assert.equal(users.get('known')!.id, 'user-here')
  assert.deepEqual(
    [users.get('root')!.email, users.get('mia')!.name, users.get('robot')!.kind, users.get('robot')!.email],
    ['root@example.com', 'Mia', 'service', null],
  )
  assert.ok([...users.values()].every(({ password }) => password === null))
  assert.ok(!JSON.stringify([...users.values(), ...members]).includes('SECRET'))
})
