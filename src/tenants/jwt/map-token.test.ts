import assert from 'node:assert/strict'
import { test } from 'node:test'
import { jwtEntry } from './fixtures/fake-issuer.ts'
import { mapToken } from './map-token.ts'
import { fits, starOf } from './patterns.ts'

const GITHUB = {
  sub: 'repo:acme/shop:ref:refs/heads/main',
  repository: 'acme/shop',
  repository_owner: 'acme',
  ref: 'refs/heads/main',
}

test('the project of an entry is that of all its tokens', () => {
  assert.deepEqual(mapToken(jwtEntry(), { sub: 'ada' }), {
    issuer: 'https://issuer.test',
    subject: 'ada',
    entry: 'issuer.test',
    user: 'ada',
    project: 'research',
    scopes: null,
  })
})

test('a token has to fit every claim of match, with one of its patterns', () => {
  const match = [
    { claim: ['repository_owner'], patterns: ['acme'] },
    { claim: ['ref'], patterns: ['refs/heads/main', 'refs/tags/*'] },
  ]
  const entry = jwtEntry({ match })
  assert.ok(mapToken(entry, GITHUB))
  assert.ok(mapToken(entry, { ...GITHUB, ref: 'refs/tags/v1' }))
  assert.equal(mapToken(entry, { ...GITHUB, ref: 'refs/heads/other' }), undefined)
  assert.equal(mapToken(entry, { ...GITHUB, repository_owner: 'acme2' }), undefined)
  assert.equal(mapToken(entry, { ...GITHUB, repository_owner: undefined }), undefined)
  assert.ok(
    mapToken(jwtEntry({ match: [{ claim: ['email_verified'], patterns: ['true'] }] }), {
      sub: 'x',
      email_verified: true,
    }),
  )
})

test('claims lie inside of others, with dots or as a list of names, or have dots in their own name', () => {
  const claims = {
    sub: 'system:serviceaccount:shop:web',
    'kubernetes.io': { namespace: 'shop' },
    realm_access: { roles: ['offline', 'team-Search'] },
    'https://acme.example/team': 'pets',
  }
  const project = (path: string[]) =>
    mapToken(jwtEntry({ claims: { ...jwtEntry().claims, project: path }, project: undefined }), claims)?.project
  assert.equal(project(['kubernetes.io', 'namespace']), 'shop')
  assert.equal(project(['https://acme.example/team']), 'pets')
  const groups = jwtEntry({
    claims: { ...jwtEntry().claims, groups: ['realm_access.roles'] },
    groups: [{ pattern: 'team-*', grant: '$1' }],
    project: undefined,
  })
  assert.equal(mapToken(groups, claims)?.project, 'search')
})

test('the first rule of the config file wins, and a token without a project is refused', () => {
  const entry = jwtEntry({
    claims: { ...jwtEntry().claims, groups: ['groups'] },
    groups: [
      { pattern: 'admins', grant: 'platform' },
      { pattern: 'team-*', grant: '$1' },
    ],
    project: undefined,
  })
  assert.equal(mapToken(entry, { sub: 'a', groups: ['team-x', 'admins'] })?.project, 'platform')
  assert.equal(mapToken(entry, { sub: 'a', groups: 'team-x' })?.project, 'x')
  for (const groups of [[], ['other'], ['team-'], ['team-a/b'], ['team-$1'], 7, undefined])
    assert.equal(mapToken(entry, { sub: 'a', groups }), undefined)
})

test('scopes of a token: unknown ones are left out, and none means nothing, not everything', () => {
  const entry = jwtEntry({ claims: { ...jwtEntry().claims, scopes: ['scope'] } })
  assert.deepEqual(mapToken(entry, { sub: 'a', scope: 'openid chat model:openai/*' })?.scopes, [
    'chat',
    'model:openai/*',
  ])
  assert.deepEqual(mapToken(entry, { sub: 'a', scope: ['model:a/*'] })?.scopes, ['model:a/*'])
  assert.equal(mapToken(entry, { sub: 'a', scope: 'openid email' }), undefined)
  assert.equal(mapToken(entry, { sub: 'a' }), undefined)
})

test('patterns: a star stands for anything, also for nothing', () => {
  assert.ok(fits('repo:acme/*:ref:*', GITHUB.sub))
  assert.ok(fits('a*', 'a') && fits('*', '') && fits('a**b', 'ab') && fits('*a*b*', 'xaxxbx'))
  assert.ok(!fits('aba*aba', 'aba') && !fits('a*b*a', 'aba'.slice(0, 2)) && !fits('*b*a*', 'ab') && !fits('a', 'ab'))
  assert.equal(starOf('team-*-dev', 'team-x-dev'), 'x')
  assert.equal(starOf('team-*', 'other'), undefined)
})
