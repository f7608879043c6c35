import assert from 'node:assert/strict'
import { test } from 'node:test'
import { parseConfig } from '../config.ts'
import { effectiveValues } from '../report/effective-values.ts'

const OIDC = { name: 'corp', issuer: 'https://id.example', clientId: 'gatehouse', clientSecretEnv: 'CORP_SECRET' }
const JWT = { issuer: 'https://id.example', audience: 'gatehouse', project: 'ci' }

test('a provider for people: defaults, groups and the secret from the environment', () => {
  const groups = { 'ai-admins': 'admin', 'team-*': { project: '$1', role: 'member' } }
  const { oidc } = read({ oidc: [{ ...OIDC, groups, default: { role: 'member', project: 'playground' } }] })
  const [issuer] = oidc
  assert.deepEqual(issuer, {
    name: 'corp',
    title: 'corp',
    issuer: 'https://id.example',
    clientId: 'gatehouse',
    clientSecret: 'secret-of-corp',
    scopes: ['openid', 'email', 'profile'],
    claims: { email: ['email'], name: ['name'], groups: ['groups'] },
    match: [],
    groups: [
      { pattern: 'ai-admins', grant: { role: 'admin', project: null } },
      { pattern: 'team-*', grant: { role: 'member', project: '$1' } },
    ],
    otherwise: { role: 'member', project: 'playground' },
  })
  assert.equal(read({ oidc: [{ ...OIDC, default: 'refuse' }] }).oidc[0]!.otherwise, undefined)
})

test('tokens of the API: defaults, places of keys, claims by name or path', () => {
  const { jwt } = read({
    jwt: [
      JWT,
      {
        ...JWT,
        jwks: 'https://id.example/keys',
        audience: ['a', 'b'],
        claims: { user: 'email', project: ['x.y', 'z'] },
      },
      { ...JWT, jwks: 'file:///etc/keys.json', maxAge: 600, match: { ref: ['refs/heads/*'], owner: 'acme' } },
      { ...JWT, jwks: { keys: [] }, scopes: ['chat'] },
    ],
  })
  assert.deepEqual(
    jwt.map(({ keys }) => keys),
    [undefined, { url: 'https://id.example/keys' }, { file: '/etc/keys.json' }, { inline: { keys: [] } }],
  )
  assert.deepEqual([jwt[0]!.name, jwt[0]!.audiences, jwt[0]!.claims.user], ['id.example', ['gatehouse'], ['sub']])
  assert.deepEqual(
    [jwt[1]!.audiences, jwt[1]!.claims.project],
    [
      ['a', 'b'],
      ['x.y', 'z'],
    ],
  )
  assert.deepEqual(jwt[2]!.match, [
    { claim: ['ref'], patterns: ['refs/heads/*'] },
    { claim: ['owner'], patterns: ['acme'] },
  ])
  assert.deepEqual([jwt[2]!.maxAgeSeconds, jwt[3]!.scopes], [600, ['chat']])
})

const MISTAKES: [string, unknown, RegExp][] = [
  ['an unknown member', { oidcs: [] }, /auth\.oidcs: .*Did you mean "?oidc/],
  [
    'an issuer without TLS',
    { oidc: [{ ...OIDC, issuer: 'http://id.example' }] },
    /auth\.oidc\.0\.issuer: should be an https/,
  ],
  ['a password in an address', { jwt: [{ ...JWT, jwks: 'https://u:p@id.example' }] }, /auth\.jwt\.0\.jwks/],
  ['a variable that is not set', { oidc: [{ ...OIDC, clientSecretEnv: 'NOWHERE' }] }, /NOWHERE is not set/],
  [
    'a file that does not exist',
    { oidc: [{ ...OIDC, clientSecretEnv: undefined, clientSecretFile: '/nowhere' }] },
    /cannot be read/,
  ],
  ['two secrets', { oidc: [{ ...OIDC, clientSecretFile: '/nowhere' }] }, /exclude each other/],
  ['a name twice', { oidc: [OIDC, OIDC] }, /auth\.oidc\.1\.name: another entry/],
  ['an unknown role', { oidc: [{ ...OIDC, groups: { a: 'king' } }] }, /auth\.oidc\.0\.groups\.a/],
  ['two stars', { oidc: [{ ...OIDC, groups: { 'a*b*': 'admin' } }] }, /one \* at most/],
  ['$1 without a star', { oidc: [{ ...OIDC, groups: { a: { role: 'member', project: '$1' } } }] }, /\$1 needs/],
  [
    'a role for everybody with a Google account',
    { oidc: [{ ...OIDC, issuer: 'https://accounts.google.com', default: { role: 'member' } }] },
    /auth\.oidc\.0\.match: is needed beside default/,
  ],
  ['SSO only without a provider', { ssoOnly: true }, /auth\.ssoOnly: needs a provider/],
  ['no audience', { jwt: [{ ...JWT, audience: undefined }] }, /auth\.jwt\.0\.audience/],
  ['no mapping', { jwt: [{ ...JWT, project: undefined }] }, /no token gets in/],
  ['groups without a claim', { jwt: [{ ...JWT, groups: { a: 'b' } }] }, /claims\.groups: is needed/],
  ['two kinds of scopes', { jwt: [{ ...JWT, scopes: ['chat'], claims: { scopes: 'scope' } }] }, /of no use/],
  [
    'an issuer whose tokens everybody can get',
    { jwt: [{ ...JWT, issuer: 'https://token.actions.githubusercontent.com' }] },
    /match: is needed, because everybody/,
  ],
]

for (const [what, auth, message] of MISTAKES)
  test(`refuses ${what}`, () => {
    assert.throws(() => read(auth), { name: 'ConfigError', message })
  })

test('the secret of a client is in no report', () => {
  const values = effectiveValues(config({ oidc: [OIDC] }))
  assert.ok(values.some(({ path }) => path.join('.') === 'auth.oidc'))
  assert.ok(!JSON.stringify(values).includes('secret-of-corp'))
})

function read(auth: unknown) {
  return config(auth).auth
}

function config(auth: unknown) {
  const content = JSON.parse(JSON.stringify({ auth }))
  return parseConfig({ environment: { CORP_SECRET: 'secret-of-corp' }, file: { path: undefined, content } })
}
