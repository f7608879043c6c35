import assert from 'node:assert/strict'
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { after, before, test } from 'node:test'
import { withSharedKey } from '../../fakes/signing-key.ts'
import { ADMIN_KEY, type GatewayUnderTest, startGateway } from '../../gateway/gateway-under-test.ts'
import { runHere, temporaryFolder } from '../../gateway/gateway-process.ts'
import { type Client, clientOf, operator, PASSWORD, signedIn } from '../../gateway/people-under-test.ts'

// What the command line does with people, and what is in the audit log because of commands, reloads and other changes.

const folder = await temporaryFolder()
const file = join(folder.path, 'gatehouse.config.json')
let gateway: GatewayUnderTest
let admin: Client
let env: Record<string, string>
before(async () => {
  await writeFile(file, '{}')
  const dataDir = join(folder.path, 'data')
  gateway = await startGateway({ dataDir, env: { GATEHOUSE_CONFIG: file, OPENAI_API_KEY: 'sk-x' } })
  env = { ...withSharedKey(), DATA_DIR: dataDir, GATEHOUSE_CONFIG: file }
  admin = operator(gateway)
})
after(async () => {
  await gateway.close()
  await folder.remove()
})

const actions = async (query: string) =>
  ((await admin('GET', `/admin/audit?${query}`)).body.items as Record<string, unknown>[]).map(
    ({ actor, via, action, before, after }) => ({ actor, via, action, before, after }),
  )

test('people are created, listed, given passwords and disabled on the machine itself', async () => {
  const created = await runHere(
    ['users', 'create', '--email', 'Ada@example.com', '--name', 'Ada', '--role', 'owner'],
    env,
  )
  const password = created.stdout.trim()
  assert.deepEqual([created.code, password.length], [0, 24])
  const ada = await signedIn(gateway, 'ada@example.com', password)
  assert.match((await runHere(['users', 'list'], env)).stdout, /person {3}active {4}ada@example\.com {2}owner\n$/)
  const reset = await runHere(['users', 'reset-password', 'ada@example.com'], env)
  assert.equal((await ada('GET', '/admin/me')).status, 401, 'a new password ends all sessions')
  await signedIn(gateway, 'ada@example.com', reset.stdout.trim())
  const last = await runHere(['users', 'disable', 'ada@example.com'], env)
  assert.match(`${last.code} ${last.stderr}`, /^1 gatehouse: This is the last owner/)
  await runHere(['users', 'create', '--email', 'bob@example.com', '--role', 'billing'], env)
  assert.equal((await runHere(['users', 'disable', 'bob@example.com'], env)).code, 0)
  const refused = {
    'create --name unknown': /^Name the person with --email/,
    'create --email x@example.com --role boss': /^--role must be one of/,
    'create --email nowhere': /^--email: Input should be an e-mail address\.$/,
    'create --email ada@example.com': /^Another user has this e-mail address/,
    'create --email x@example.com --project nowhere': /^--project: There is no such project\.$/,
    'reset-password unknown@example.com': /^There is no user .* `gatehouse users list` shows all users\.$/,
  }
  for (const [words, sentence] of Object.entries(refused)) {
    const { code, stderr } = await runHere(['users', ...words.split(' ')], env)
    assert.equal(code, 1, words)
    assert.match(stderr.trim().replace('gatehouse: ', ''), sentence)
  }
  const found = await actions('actor=cli')
  assert.deepEqual(
    found.map(({ action }) => action),
    ['user.update', 'user.create', 'user.password', 'user.create'],
  )
  assert.deepEqual(found[2]!.after, { password: 'changed' })
  const whole = JSON.stringify(found)
  for (const secret of [password, reset.stdout.trim()]) assert.ok(!whole.includes(secret))
})

test('the first owner of another organization can be created on the machine itself', async () => {
  await admin('POST', '/admin/organizations', { name: 'Acme', id: 'acme' })
  const create = ['users', 'create', '--email', 'eve@acme.example', '--role', 'owner', '--organization', 'acme']
  const { stdout, code, stderr } = await runHere(create, env)
  assert.equal(code, 0, stderr)
  const { body } = await (await signedIn(gateway, 'eve@acme.example', stdout.trim()))('GET', '/admin/me')
  assert.deepEqual(body.memberships, [{ organization: 'acme', project: null, role: 'owner' }])
  assert.equal((await runHere([...create.slice(0, -1), 'nowhere'], env)).code, 1)
})

test('changes of aliases, credentials and the configuration are in the log, without secrets', async () => {
  const targets = [{ model: 'sandbox/echo' }]
  await admin('POST', '/admin/aliases', { name: 'fast', targets, defaults: { extra_headers: { 'x-key': 'canary-1' } } })
  await admin('PATCH', '/admin/aliases/fast', { defaults: { extra_headers: { 'x-key': 'canary-2' } } })
  await admin('DELETE', '/admin/aliases/fast')
  const made = await admin('POST', '/admin/credentials', { provider: 'openai', name: 'a', secret: 'sk-canary-3' })
  await admin('PATCH', `/admin/credentials/${made.body.id}`, { secret: 'sk-canary-4', weight: 2 })
  await admin('DELETE', `/admin/credentials/${made.body.id}`)
  await writeFile(file, '{"region":"eu"}')
  await admin('POST', '/admin/config/reload')
  await gateway.gateway.services.operations.reloadConfig()
  const found = (await actions('limit=9')).filter(({ action }) => /^(alias|cred|config)/.test(String(action)))
  assert.deepEqual(
    found.map(({ actor, action }) => `${actor} ${action}`).reverse(),
    [
      ...[
        'alias.create',
        'alias.update',
        'alias.delete',
        'credential.create',
        'credential.update',
        'credential.delete',
      ],
      'config.reload',
    ]
      .map((action) => `admin_key ${action}`)
      .concat('config config.reload'),
  )
  assert.deepEqual(found[3]!.before, { weight: 1, secret: null })
  assert.deepEqual(found[3]!.after, { weight: 2, secret: 'changed' })
  assert.deepEqual(found[1]!.after, { changed: ['region'], needs_restart: [] })
  assert.ok(!JSON.stringify(found).includes('canary'))
})

test('a change that was refused by the rules of its object is not in the log', async () => {
  await admin('POST', '/admin/aliases', { name: 'fast', targets: [{ model: 'sandbox/echo' }] })
  const before = (await actions('action=alias.create')).length
  const again = await admin('POST', '/admin/aliases', { name: 'fast', targets: [{ model: 'sandbox/echo' }] })
  assert.equal(again.status, 409)
  assert.equal((await actions('action=alias.create')).length, before)
  assert.equal((await admin('DELETE', '/admin/keys/00000000-0000-4000-8000-000000000000')).status, 404)
  assert.deepEqual(await actions('action=key.revoke'), [])
})

test('the command verifies the log with the checkpoints of the log lines, and says what is wrong', async () => {
  const intact = await runHere(['audit', 'verify'], env)
  assert.match(`${intact.code} ${intact.stderr}`, /^0 \d+ rows, \d+ checkpoints, no fault/)
  const line = await checkpointOfStart()
  const checkpoints = join(folder.path, 'checkpoints.jsonl')
  await writeFile(checkpoints, `{"msg":"another line"}\nno json\n${line}\n`)
  const whole = await runHere(['audit', 'verify', '--checkpoint', checkpoints], env)
  assert.equal(whole.code, 0, whole.stdout + whole.stderr)
  const { seq } = JSON.parse(line).checkpoint
  const { db } = gateway.gateway.services.calls
  await db.transaction([
    { sql: 'DROP TRIGGER audit_no_delete' },
    { sql: 'DROP TRIGGER audit_no_update' },
    { sql: 'DROP TRIGGER audit_checkpoints_no_delete' },
    { sql: 'DELETE FROM audit_checkpoints' },
    { sql: 'DELETE FROM audit WHERE seq >= $1', values: [seq] },
  ])
  assert.equal((await runHere(['audit', 'verify'], env)).code, 0, 'the chain alone does not show it')
  const cut = await runHere(['audit', 'verify', '--checkpoint', checkpoints], env)
  assert.match(`${cut.code} ${cut.stdout}`, /^1 row \d+: .*its end was cut off/)
  const nothing = await runHere(['audit', 'verify', '--checkpoint', file], env)
  assert.match(`${nothing.code} ${nothing.stderr}`, /^1 gatehouse: .* has no checkpoint/)
})

/** A start writes a checkpoint if there are rows. The store has it before the log does. */
async function checkpointOfStart(): Promise<string> {
  const dataDir = env.DATA_DIR!
  await gateway.close()
  gateway = await startGateway({ dataDir, env: { GATEHOUSE_CONFIG: file, OPENAI_API_KEY: 'sk-x' } })
  admin = operator(gateway)
  for (;;) {
    await gateway.gateway.services.calls.db.query('SELECT 1 AS one')
    const line = gateway
      .logs()
      .split('\n')
      .find((one) => one.includes('checkpoint of the audit log'))
    if (line) return line
  }
}

test('admin keys can be switched off as soon as there is an owner', async () => {
  const dataDir = join(folder.path, 'off')
  const other = await startGateway({ dataDir, env: { ADMIN_KEY_ACCESS: 'off' } })
  const asKey = operator(other)
  assert.equal((await asKey('GET', '/admin/me')).status, 200, 'no other actor could sign in')
  const create = ['users', 'create', '--email', 'ada@example.com', '--role', 'owner']
  const { stdout } = await runHere(create, { DATA_DIR: dataDir })
  assert.equal((await asKey('GET', '/admin/me')).status, 401)
  assert.equal((await (await signedIn(other, 'ada@example.com', stdout.trim()))('GET', '/admin/me')).status, 200)
  await other.close()
})

test('the pages for signing in allow nothing but the scripts of this listener', async () => {
  for (const path of ['/sign-in', '/setup']) {
    const page = await clientOf(gateway)('GET', path)
    assert.match(
      page.headers.get('content-security-policy')!,
      /^default-src 'none'; script-src 'self'; style-src 'self'/,
    )
    assert.doesNotMatch(page.body, /<script>|style=|onclick/)
    for (const [, asset] of page.body.matchAll(/(?:src|href)="(\/[^"]+)"/g))
      assert.equal((await clientOf(gateway)('GET', asset)).status, 200, asset)
  }
  assert.equal((await fetch(`${gateway.url}/sign-in`)).status, 404, 'not on the port of the API')
  assert.ok(!gateway.logs().includes(ADMIN_KEY) && !gateway.logs().includes(PASSWORD))
})
