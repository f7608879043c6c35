import assert from 'node:assert/strict'
import { createPublicKey } from 'node:crypto'
import { once } from 'node:events'
import { mkdir, readdir, stat, writeFile } from 'node:fs/promises'
import { type AddressInfo, createServer } from 'node:net'
import { join } from 'node:path'
import { after, before, describe, test } from 'node:test'
import { COMMAND_NAMES, COMMANDS } from '../../../src/cli/command-line/command-table.ts'
import { isWellFormed } from '../../../src/tenants/access/api-keys.ts'
import { type Finished, gatehouse, NO_CONFIG, runHere, temporaryFolder } from '../../gateway/gateway-process.ts'
import { WRONG_SETTINGS, WRONG_FILES, MISTYPED, assertComplaint, assertRefused } from './typing-mistakes.ts'

describe('the command line', { concurrency: 2 }, () => {
  let folder: Awaited<ReturnType<typeof temporaryFolder>>
  let file: string
  before(async () => {
    folder = await temporaryFolder()
    file = join(folder.path, 'gatehouse.config.json')
  })
  after(() => folder.remove())

  test('help is help, also behind a command, and starts nothing', async () => {
    for (const helped of [start(['--help'], 'help'), run(['help'], 'help'), run(['-h'], 'help')]) {
      const { code, stdout, stderr } = await helped
      assert.deepEqual([code, stderr], [0, ''])
      for (const command of COMMAND_NAMES) assert.ok(stdout.includes(`  ${command} `), command)
    }
    for (const command of COMMAND_NAMES) {
      const { stdout } = await run([...command.split(' '), '--help'], 'help')
      assert.ok(stdout.startsWith(`Usage: gatehouse ${command}`), command)
      for (const flag of Object.keys(COMMANDS[command].flags)) assert.ok(stdout.includes(`\n  --${flag} `), flag)
      for (const example of COMMANDS[command].examples) assert.ok(stdout.includes(`\n  ${example}\n`), example)
    }
    assert.equal(
      (await run(['help', 'keys', 'rotate'], 'help')).stdout,
      (await run(['keys', 'rotate', '-h'], 'help')).stdout,
    )
    for (const flag of ['--version', '-v'])
      assert.match((await run([flag], 'help')).stdout, /^gatehouse-ai \d+\.\d+\.\d+ \(Node 2\d\.[^)]+\)\n$/)
    await assert.rejects(stat(join(folder.path, 'help')))
  })

  test('what was compiled once is taken from the cache beside the packages the next time', async () => {
    // Node itself reports what it does with its cache.
    const telling = { NODE_DEBUG_NATIVE: 'COMPILE_CACHE' }
    await start(['--help'], 'cache')
    const { stderr } = await start(['--help'], 'cache', telling)
    const taken = /^\[compile cache\] V8 code cache for ESM file:.*\/src\/cli\/cli\.ts was accepted/m
    assert.match(stderr, taken)
    assert.match(stderr, /reading cache from .*\/node_modules\/\.cache\/gatehouse\/.*cli\.ts/)
  })

  test('what is mistyped gets the name that was probably meant, in one sentence', async () => {
    for (const [argv, words] of MISTYPED) {
      const finished = await run(argv, 'unknown')
      assertComplaint(finished, words)
      assert.equal(finished.stderr.split('\n').length, 2, finished.stderr)
    }
    await assert.rejects(stat(join(folder.path, 'unknown')))
  })

  test('keys: made, listed without its secret, taken back', async () => {
    const options = ['--owner', 'me', '--region', 'eu', '--scope', 'chat', '--scope', 'model:openai/*']
    const requested = ['--name', 'from the shell', ...options, '--expires-at', '2199-01-31T00:00:00Z']
    const made = await start(['keys', 'create', ...requested], 'keys')
    assert.equal(made.code, 0, made.stderr)
    const key = made.stdout.trim()
    assert.ok(isWellFormed(key) && key.startsWith('gate_live_') && !made.stderr.includes(key))
    const id = /Key (\S+) /.exec(made.stderr)![1]!
    const update = [
      '--name',
      'from the shell',
      '--allow-ip',
      '10.0.0.0/8',
      '--allow-ip',
      '::1',
      '--never-expires',
      '--all-scopes',
    ]
    const updated = await run(['keys', 'update', id, ...update], 'keys')
    assert.equal(updated.code, 0, updated.stderr)
    const rotated = await run(['keys', 'rotate', id, '--overlap', '7d'], 'keys')
    const next = rotated.stdout.trim()
    assert.ok(isWellFormed(next) && next !== key && !rotated.stderr.includes(next))
    assert.match(rotated.stderr, /Earlier secrets are valid until 20/)
    const shown = await run(['keys', 'show', id], 'keys')
    for (const row of [
      /^owner +me$/m,
      /^allowed addresses +10\.0\.0\.0\/8 ::1$/m,
      /^expires +never$/m,
      /^scopes +everything$/m,
    ])
      assert.match(shown.stdout, row)
    assert.match(shown.stdout, new RegExp(`^secret +…${next.slice(-4)}\nearlier secrets +valid until 20`, 'm'))
    const described = JSON.parse((await run(['keys', 'show', id, '--json'], 'keys')).stdout)
    assert.deepEqual([described.id, described.allowed_ips, described.key], [id, ['10.0.0.0/8', '::1'], undefined])
    assert.match((await run(['keys', 'rotate', id], 'keys')).stderr, /Earlier secrets are refused within seconds/)
    const cleared = await run(['keys', 'update', id, '--any-ip', '--scope', 'chat'], 'keys')
    assert.match(cleared.stdout, /^scopes +chat\nallowed addresses +all$/m)
    const revoked = await run(['keys', 'revoke', id], 'keys')
    assert.deepEqual([revoked.code, revoked.stdout], [0, ''])
    assertComplaint(await run(['keys', 'rotate', id], 'keys'), /^This key is revoked\. Create a new one\./)
    for (const action of ['show', 'revoke', 'rotate'])
      assertComplaint(
        await run(['keys', action, 'unknown'], 'keys'),
        /^There is no such key\. `gatehouse keys list` shows/,
      )
    assert.equal(JSON.parse((await run(['keys', 'list', '--json'], 'keys')).stdout).id, id)
    const { stdout } = await run(['keys', 'list'], 'keys')
    assert.match(stdout, new RegExp(`^${id} {2}….{4} {2}live +revoked +eu .* from the shell\n$`))
  })

  test('an invalid option is one sentence', async () => {
    assertComplaint(await run(['keys', 'create', '--kind', 'gold'], 'options'), /--name is required; --kind: .*'admin'/)
    const create = (...flags: string[]) => run(['keys', 'create', '--name', 'x', ...flags], 'options')
    assertComplaint(await create('--expires-at', 'soon'), /^--expires-at: /)
    assertComplaint(
      await create('--expires-at', '2020-01-31T00:00:00Z'),
      /^--expires-at: Input should be in the future/,
    )
    assertComplaint(
      await run(['import', 'env', 'no.env'], 'options'),
      /^There is no \S*no\.env\. Check the path\. \(ENOENT\)/,
    )
    assertComplaint(
      await create('--allow-ip', 'home'),
      /^--allow-ip: "home" is not a network\. Write an address and a prefix/,
    )
    assertComplaint(await create('--scope', 'caht'), /^--scope: Scope should be one of chat, .*\. Did you mean chat\?/)
    assertComplaint(await create('--scope', 'modle:openai/*'), /Did you mean model:openai\/\*\?/)
    const update = (...flags: string[]) => run(['keys', 'update', 'ID', ...flags], 'options')
    assertComplaint(await update(), /^Nothing to change\. See `gatehouse keys update --help`/)
    assertComplaint(await update('--any-ip', '--allow-ip', '10.0.0.0/8'), /^Use either --allow-ip or --any-ip\./)
    for (const overlap of ['soon', '31d', '1w', '-5'])
      assertComplaint(
        await run(['keys', 'rotate', 'ID', `--overlap=${overlap}`], 'options'),
        /^--overlap must be a time such as/,
      )
    assert.equal((await run(['keys', 'list'], 'options')).stdout, '')
  })

  test('migrate makes the database, which no other user can read', async () => {
    const { code, stdout } = await start(['migrate'], 'migrate')
    assert.deepEqual([code, stdout], [0, 'The SQLite database is up to date.\n'])
    const data = join(folder.path, 'migrate')
    assert.equal((await stat(data)).mode & 0o777, 0o700)
    for (const name of await readdir(data)) assert.equal((await stat(join(data, name))).mode & 0o077, 0, name)
  })

  test('the catalog proves itself', async () => {
    const { code, stdout } = await start(['catalog', 'check'], 'catalog')
    assert.equal(code, 0, stdout)
    assert.match(stdout, /^\d{4,} models of \d+ providers, \d{4,} with a price, 0 errors\n$/)
  })

  test('a chat body is explained: what would be sent, without any credential', async () => {
    const body = join(folder.path, 'body.json')
    await writeFile(
      body,
      '{"model":"anthropic/claude-sonnet-4-5","messages":[{"role":"user","content":"Hi"}],"seed":1}',
    )
    const { code, stdout, stderr } = await start(['explain', body], 'explain', { ANTHROPIC_API_KEY: 'canary-secret' })
    assert.equal(code, 0, stderr)
    const [target] = JSON.parse(stdout).targets
    assert.equal(target.request.url, 'https://api.anthropic.com/v1/messages')
    assert.deepEqual(
      target.notes.map(({ field }: { field: string }) => field),
      ['seed'],
    )
    assert.ok(target.estimated_cost > 0 && !stdout.includes('canary'))
    await writeFile(body, '{"model":"sandbox/echo"}')
    assertComplaint(await run(['explain', body], 'explain'), /^messages: Field required/)
    await writeFile(body, '{"model": "sandbox/echo",}')
    assertComplaint(
      await run(['explain', body], 'explain'),
      /body\.json: is not valid JSON at line 1, column 26: remove the comma/,
    )
    assertComplaint(
      await run(['explain', `${body}.none`], 'explain'),
      /body\.json\.none: cannot be read \(ENOENT\)\. Check the path$/m,
    )
    assertComplaint(await run(['explain', body, '--region', 'moon'], 'explain'), /not valid JSON/)
  })

  test('webhook-key prints the public half of the key in the store', async () => {
    const { code, stdout } = await run(['webhook-key'], 'webhook')
    assert.equal(code, 0)
    assert.ok((createPublicKey(stdout).asymmetricKeyDetails?.modulusLength ?? 0) >= 2048)
    assert.doesNotMatch(stdout, /PRIVATE/)
    assert.equal((await run(['webhook-key'], 'webhook')).stdout, stdout)
  })

  test('a wrong setting ends the start with its name, and its value is not repeated', async () => {
    const { code, stderr } = await start(['serve'], 'settings', { PORT: 'canary' })
    assert.deepEqual([code, stderr], [1, 'gatehouse: PORT: should be a whole number from 0 to 65535\n'])
    for (const [environment, words] of WRONG_SETTINGS)
      assertRefused({ GATEHOUSE_CONFIG: NO_CONFIG, ...environment }, words)
  })

  test('an unknown key in the config file is named with its path; a file that is not there is named too', async () => {
    await writeFile(file, '{"providers": {"fake": {"dialect": "openai", "baseUrl": "http://x", "modles": []}}}')
    assertComplaint(
      await run(['migrate'], 'file', { GATEHOUSE_CONFIG: file }),
      /^providers\.fake\.modles: Extra inputs are not permitted\. Did you mean models\? \(in \S+gatehouse\.config\.json\)/,
    )
    assertRefused(
      { GATEHOUSE_CONFIG: `${file}.none` },
      /config\.json\.none: cannot be read \(ENOENT\)\. Check the path in GATEHOUSE_CONFIG/,
    )
    for (const [content, words] of WRONG_FILES) {
      await writeFile(file, content)
      assertRefused({ GATEHOUSE_CONFIG: file }, words)
    }
  })

  test('a database that is away, and a folder that cannot be, are one sentence', async () => {
    const away = await run(['keys', 'list'], 'away', { DATABASE_URL: 'postgres://user:canary@127.0.0.1:1/x' })
    assertComplaint(away, /not reachable \(ECONNREFUSED\)/)
    assert.doesNotMatch(away.stderr, /canary|127\.0\.0\.1/)
    await writeFile(join(folder.path, 'a-file'), '')
    assertComplaint(
      await run(['migrate'], 'a-file/data'),
      /a-file exists already and is in the way\. Move it, or choose another place\. .* DATA_DIR .*\(EEXIST\)/,
    )
    if (process.platform === 'linux')
      assertComplaint(
        await runHere(['migrate'], { DATA_DIR: '/proc/gatehouse/data' }),
        /^There is no \/proc\/gatehouse, and it cannot be created\. Check the path\. .*\(ENOENT\)/,
      )
  })

  test('a database that is damaged is not waited for', async () => {
    const data = join(folder.path, 'damaged')
    await mkdir(data)
    await writeFile(join(data, 'gatehouse.db'), 'no database at all'.repeat(100))
    assertComplaint(await run(['serve'], 'damaged'), /damaged\/gatehouse\.db is damaged .*restore it from a backup/)
  })

  test('a port that is taken ends the start, and no key is made that was never shown', async () => {
    const other = createServer().listen(0, '127.0.0.1')
    await once(other, 'listening')
    const { port } = other.address() as AddressInfo
    for (const [taken, free] of [['PORT', 'ADMIN_PORT'] as const, ['ADMIN_PORT', 'PORT'] as const]) {
      const finished = await run(['serve'], 'taken', { [taken]: String(port), [free]: '0' })
      assertComplaint(finished, new RegExp(`^Port ${port} is in use by another program\\. Set PORT`))
    }
    assertComplaint(
      await run(['serve'], 'taken', { HOST: '192.0.2.1', PORT: '0' }),
      /^This machine has no address 192\.0\.2\.1\. Set HOST/,
    )
    const cluster = await run(['serve'], 'taken', { HOST: '192.0.2.1', PORT: '0', WORKERS: '2', ADMIN_PORT: '0' })
    assertComplaint(cluster, /^This machine has no address 192\.0\.2\.1\. Set HOST/)
    assert.equal((await run(['keys', 'list'], 'taken')).stdout, '')
    other.close()
  })

  function start(args: string[], data: string, env: Record<string, string> = {}): Promise<Finished> {
    return gatehouse(args, { DATA_DIR: join(folder.path, data), ...env })
  }

  function run(args: string[], data: string, env: Record<string, string> = {}): Promise<Finished> {
    return runHere(args, { DATA_DIR: join(folder.path, data), ...env })
  }
})
