import assert from 'node:assert/strict'
import { test } from 'node:test'
import { readSearch } from '../search-settings.ts'
import { allowsTool } from './mcp-server.ts'
import { checkSignInAddress, readMcp } from './read-mcp.ts'

const URL = 'https://mcp.test/mcp'

test('a server has its credential, its tools, its callers and its price', () => {
  const entry = {
    url: URL,
    credentialEnv: 'TOKEN',
    header: 'X-Key',
    pricePerCall: 0.5,
    timeoutSeconds: 3,
    tools: { allow: ['a', 'b'], deny: ['b'] },
    appliesTo: ['project:research', 'key:k1'],
  }
  const { servers, atProviders } = readMcp({ servers: { tickets: entry }, atProviders: true }, { TOKEN: 'secret' })
  const [server] = servers
  assert.deepEqual(
    [server!.name, server!.auth, server!.timeoutMs],
    ['tickets', { header: 'x-key', secret: 'secret' }, 3_000],
  )
  assert.deepEqual(
    ['a', 'b', 'c'].map((tool) => allowsTool(server!, tool)),
    [true, false, false],
  )
  assert.deepEqual(server!.appliesTo, [
    { holder: 'project', id: 'research' },
    { holder: 'key', id: 'k1' },
  ])
  assert.equal(atProviders, true)
})

test('without more, a server is for all callers and free, its credential is a bearer token, and no provider is sent anywhere', () => {
  const { servers, atProviders } = readMcp({ servers: { a: { url: URL, credentialEnv: 'TOKEN' } } }, { TOKEN: 't' })
  const { auth, appliesTo, pricePerCall, allow } = servers[0]!
  assert.deepEqual([auth, appliesTo], [{ header: 'authorization', secret: 'Bearer t' }, [{ holder: 'all', id: null }]])
  assert.deepEqual([pricePerCall, allow, atProviders], [0, null, false])
  assert.deepEqual(readMcp(undefined, {}), { servers: [], atProviders: false, oauth: false })
})

test('mistakes are refused with their path', () => {
  const cases: [object, RegExp][] = [
    [{ 'Big Name': { url: URL } }, /mcp\.servers\.Big Name: a name has/],
    [{ a: { url: 'file:///etc/passwd' } }, /mcp\.servers\.a\.url/],
    [{ a: { url: 'http://localhost:9000/mcp' } }, /mcp\.servers\.a\.url: should name 127\.0\.0\.1/],
    [{ a: { url: URL, appliesTo: ['team:x'] } }, /mcp\.servers\.a\.appliesTo\.0/],
    [{ a: { url: URL, appliesTo: ['end_user:x'] } }, /appliesTo\.0/],
    [{ a: { url: URL, header: 'a b', credentialEnv: 'T' } }, /header/],
    [{ a: { url: URL, credentialEnv: 'MISSING' } }, /MISSING/],
    [{ a: { url: URL, toolz: {} } }, /toolz/],
  ]
  for (const [servers, message] of cases) assert.throws(() => readMcp({ servers }, { T: 't' }), message)
})

test('people can sign in to MCP at an address without a path only', () => {
  const mcp = readMcp({ oauth: true }, {})
  for (const address of ['https://ai.test/below', 'https://ai.test/a/b'])
    assert.throws(() => checkSignInAddress(mcp, address), /^ConfigError: mcp\.oauth: needs a PUBLIC_URL without a path/)
  for (const address of [undefined, 'https://ai.test', 'http://[::1]:8080']) checkSignInAddress(mcp, address)
  checkSignInAddress(readMcp({}, {}), 'https://ai.test/below')
})

test('a search is for models that have none, unless a project has it otherwise', () => {
  assert.deepEqual(readSearch({ engine: 'tavily', projects: { legal: 'never' } }), {
    engine: 'tavily',
    fallback: undefined,
    when: 'missing',
    projects: { legal: 'never' },
  })
  assert.equal(readSearch(undefined), undefined)
  assert.throws(() => readSearch({ engine: 'tavily', when: 'often' }), /search\.when/)
})
