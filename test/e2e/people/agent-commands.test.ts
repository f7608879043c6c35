import assert from 'node:assert/strict'
import { chmod, cp, lstat, mkdir, mkdtemp, readFile, rm, stat, symlink, writeFile } from 'node:fs/promises'
import { createServer, type RequestListener } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { after, before, test } from 'node:test'
import { withLock } from '../../../src/cli/agents/credential-file.ts'
import { run } from '../../../src/cli/cli.ts'
import type { ModelList } from '../../../src/contract/models.ts'
import { DevicePage, statusOfCall } from '../../gateway/agent-client.ts'
import { runHere } from '../../gateway/gateway-process.ts'
import { API_KEY, type GatewayUnderTest, startGateway } from '../../gateway/gateway-under-test.ts'
import { firstOwner } from '../../gateway/people-under-test.ts'

// The commands of a developer: sign in, print a token, sign out, configure agents. The home folder is a temporary one.

const home = await mkdtemp(join(tmpdir(), 'gatehouse-home-'))
const environment = { HOME: home }
const signInFile = join(home, '.config', 'gatehouse', 'sign-in.json')
const OWNER = 'owner@example.com'
/** How long the gateway asks a terminal to wait before it comes back. */
const INTERVAL_MS = 5_000
let gateway: GatewayUnderTest

before(async () => {
  const GATEHOUSE_CONFIG = join(home, 'gateway.json')
  await writeFile(GATEHOUSE_CONFIG, JSON.stringify({ agents: { signIn: true } }))
  gateway = await startGateway({ env: { GATEHOUSE_CONFIG } })
  await firstOwner(gateway)
})
after(async () => {
  await gateway.close()
  await rm(home, { recursive: true })
})

/** Runs `gatehouse login`, and types its code into the page. */
async function login(): Promise<number> {
  const shown = Promise.withResolvers<string>()
  const confirmed = Promise.withResolvers<void>()
  const waits: number[] = []
  const ended = run(['login', '--url', gateway.url], {
    environment,
    print: () => undefined,
    remark: (text) => {
      const [code] = /[A-Z]{4}-[A-Z]{4}/.exec(text) ?? []
      if (code) shown.resolve(code)
    },
    sleep: async (ms) => {
      waits.push(ms)
      await confirmed.promise
    },
  })
  const code = await Promise.race([shown.promise, ended.then(() => assert.fail('login has ended without a code'))])
  const page = new DevicePage(gateway.url)
  await page.signIn(OWNER)
  await page.confirm(code)
  confirmed.resolve()
  const exitCode = await ended
  assert.deepEqual(waits, [INTERVAL_MS])
  return exitCode
}

async function stored() {
  return JSON.parse(await readFile(signInFile, 'utf8'))
}

test('without a sign-in, token and logout say what to do', async () => {
  for (const command of ['token', 'logout']) {
    const { code, stdout, stderr } = await runHere([command], environment)
    assert.deepEqual([code, stdout], [1, ''])
    assert.match(stderr, /gatehouse login --url/)
  }
})

test('tokens are not sent to an address that is not encrypted', async () => {
  const { code, stderr } = await runHere(['login', '--url', 'http://ai.example.com'], environment)
  assert.equal(code, 1)
  assert.match(stderr, /https:\/\//)
})

test('a second login ends the first one, which no program could renew or sign out any more', async () => {
  assert.equal(await login(), 0)
  const { access: first } = await stored()
  assert.equal(await statusOfCall(gateway.url, first), 200)
  assert.equal(await login(), 0)
  assert.equal(await statusOfCall(gateway.url, first), 401)
  assert.equal(await statusOfCall(gateway.url, (await stored()).access), 200)
})

test('login, token and logout: the file is the user’s alone, a token is renewed once by two runs, and ends with logout', async () => {
  assert.equal(await login(), 0)
  assert.equal((await stat(signInFile)).mode & 0o777, 0o600)
  const first = await runHere(['token'], environment)
  assert.match(first.stdout, /^gate_session_\w+\n$/)
  assert.equal(await statusOfCall(gateway.url, first.stdout.trim()), 200)
  const old = await stored()
  await writeFile(signInFile, JSON.stringify({ ...old, expiresAt: Date.now() + 60_000 }))
  const runs = await Promise.all([1, 2, 3].map(() => runHere(['token'], environment)))
  const printed = new Set(runs.map(({ stdout }) => stdout))
  assert.equal(printed.size, 1)
  assert.ok(!printed.has(first.stdout))
  const [renewed = ''] = [...printed]
  assert.equal(await statusOfCall(gateway.url, renewed.trim()), 200)
  assert.equal((await stat(signInFile)).mode & 0o777, 0o600)
  assert.equal((await runHere(['logout'], environment)).code, 0)
  assert.equal(await statusOfCall(gateway.url, renewed.trim()), 401)
  assert.equal((await runHere(['token'], environment)).code, 1)
})

const FILES = {
  claude: { file: join(home, '.claude', 'settings.json'), before: '{\n  "model": "opus"\n}\n' },
  codex: {
    file: join(home, '.codex', 'config.toml'),
    before: 'model = "gpt-5.4"\nmodel_provider = "openai"\n\n[tui]\nx = 1\n',
  },
  gemini: { file: join(home, '.gemini', '.env'), before: 'OTHER=1\n' },
  opencode: { file: join(home, '.config', 'opencode', 'opencode.json'), before: '{"theme":"x"}' },
}

for (const [agent, { file, before: original }] of Object.entries(FILES))
  test(`configure ${agent} adds to its file, twice the same, and --undo puts it back; --print writes nothing`, async () => {
    await mkdir(dirname(file), { recursive: true })
    await writeFile(file, original)
    const configure = (...more: string[]) =>
      runHere(['configure', agent, '--url', 'https://ai.example.com', ...more], environment)
    const shown = await configure('--print')
    assert.equal(shown.code, 0, shown.stderr)
    assert.equal(await readFile(file, 'utf8'), original)
    assert.match(shown.stdout, /https:\/\/ai\.example\.com\/v3/)
    assert.match(shown.stdout, /For a company/)
    assert.equal((await configure()).code, 0)
    const written = await readFile(file, 'utf8')
    assert.ok(shown.stdout.includes(written))
    assert.equal((await configure()).code, 0)
    assert.equal(await readFile(file, 'utf8'), written)
    assert.equal((await configure('--undo')).code, 0)
    assert.equal(await readFile(file, 'utf8'), original)
    assert.equal((await configure('--undo')).code, 1)
  })

test('configure keeps what else the files have, and refuses what it cannot read', async () => {
  const url = ['--url', 'https://ai.example.com']
  await runHere(['configure', 'claude', ...url], environment)
  assert.deepEqual(JSON.parse(await readFile(FILES.claude.file, 'utf8')), {
    model: 'opus',
    apiKeyHelper: 'gatehouse token',
    env: { ANTHROPIC_BASE_URL: 'https://ai.example.com/v3/claude' },
  })
  await runHere(['configure', 'codex', ...url], environment)
  const toml = await readFile(FILES.codex.file, 'utf8')
  assert.match(toml, /^model_provider = "gatehouse"\n\nmodel = "gpt-5\.4"\n\n\[tui\]\nx = 1\n/)
  assert.match(toml, /\[model_providers\.gatehouse\.auth\]\ncommand = "gatehouse"\nargs = \["token"\]/)
  await writeFile(FILES.claude.file, '{ // by hand\n}')
  assert.match((await runHere(['configure', 'claude', '--undo'], environment)).stderr, /has changed since/)
  await writeFile(FILES.opencode.file, '{ // a comment\n}')
  assert.match((await runHere(['configure', 'opencode', ...url], environment)).stderr, /not plain JSON/)
  const { stdout } = await runHere(['configure', 'claude', ...url, '--print'], environment)
  assert.match(stdout, /"forceLoginMethod": "gateway"/)
  assert.match(stdout, /"forceLoginGatewayUrl": "https:\/\/ai\.example\.com\/v3\/claude"/)
})

test('--print shows what to add to a file with comments, which configure does not change', async () => {
  const HOME = await newHome()
  const file = join(HOME, '.claude', 'settings.json')
  await mkdir(dirname(file))
  await writeFile(file, '{ // a comment\n}')
  assert.match((await runHere(['configure', 'claude', ...URL_OPTION], { HOME })).stderr, /--print shows what to add/)
  const { code, stdout } = await runHere(['configure', 'claude', ...URL_OPTION, '--print'], { HOME })
  assert.equal(code, 0)
  assert.ok(stdout.startsWith(`# Add this to ${file}:\n{`), stdout)
  assert.match(stdout, /"apiKeyHelper": "gatehouse token"/)
})

test('another key of Claude Code, which would win over the sign-in, is taken out of its file, and told if the terminal has it', async () => {
  const HOME = await newHome()
  const file = join(HOME, '.claude', 'settings.json')
  await mkdir(dirname(file))
  const original = JSON.stringify({ env: { ANTHROPIC_AUTH_TOKEN: 'sk-old', ANTHROPIC_API_KEY: 'sk-old', MINE: '1' } })
  await writeFile(file, original)
  const { stderr } = await runHere(['configure', 'claude', ...URL_OPTION], { HOME, ANTHROPIC_API_KEY: 'sk-old' })
  assert.match(stderr, /^ANTHROPIC_API_KEY is set in this terminal/m)
  assert.doesNotMatch(stderr, /ANTHROPIC_AUTH_TOKEN/)
  const { env } = JSON.parse(await readFile(file, 'utf8'))
  assert.deepEqual(env, { MINE: '1', ANTHROPIC_BASE_URL: 'https://ai.example.com/v3/claude' })
  assert.equal((await runHere(['configure', 'claude', '--undo'], { HOME })).code, 0)
  assert.equal(await readFile(file, 'utf8'), original)
})

test('configure writes into the folders that the variables of the agents name', async () => {
  for (const [agent, variable, ...path] of [
    ['claude', 'CLAUDE_CONFIG_DIR', 'settings.json'],
    ['codex', 'CODEX_HOME', 'config.toml'],
    ['opencode', 'XDG_CONFIG_HOME', 'opencode', 'opencode.json'],
  ] as const) {
    const HOME = await newHome()
    const folder = join(HOME, 'elsewhere')
    const named = { HOME, [variable]: folder }
    assert.equal((await runHere(['configure', agent, ...URL_OPTION], named)).code, 0)
    assert.match(await readFile(join(folder, ...path), 'utf8'), /ai\.example\.com/)
    assert.equal((await runHere(['configure', agent, '--undo'], named)).code, 0)
    await assert.rejects(stat(join(folder, ...path)), { code: 'ENOENT' })
  }
})

test('configure opencode lists the models that can chat, and no others', async () => {
  const listed = async (query = '') => {
    const answer = await fetch(`${gateway.url}/v3/models${query}`, { headers: { authorization: `Bearer ${API_KEY}` } })
    assert.equal(answer.status, 200)
    return ((await answer.json()) as ModelList).data
  }
  assert.equal(await login(), 0)
  const HOME = await newHome()
  await cp(signInFile, join(HOME, '.config', 'gatehouse', 'sign-in.json'), { recursive: true })
  assert.equal((await runHere(['configure', 'opencode'], { HOME })).code, 0)
  const file = join(HOME, '.config', 'opencode', 'opencode.json')
  const { gatehouse } = JSON.parse(await readFile(file, 'utf8')).provider
  const names = Object.keys(gatehouse.models)
  assert.ok(names.includes('sandbox/echo'))
  assert.deepEqual(
    names,
    (await listed('?type=chat')).map(({ id }) => id),
  )
  const others = (await listed()).map(({ id }) => id).filter((id) => !names.includes(id))
  assert.ok(others.includes('sandbox/image') && others.includes('sandbox/rerank'), others.join())
})

const URL_OPTION = ['--url', 'https://ai.example.com']

/** A home folder of its own. */
async function newHome(): Promise<string> {
  return await mkdtemp(join(home, 'other-'))
}

test('configure keeps the mode of a file with secrets, and the files that it makes are the user’s alone', async () => {
  const HOME = await newHome()
  const [secrets, settings] = [join(HOME, '.gemini', '.env'), join(HOME, '.gemini', 'settings.json')]
  await mkdir(dirname(secrets))
  await writeFile(secrets, 'GEMINI_API_KEY=secret\n', { mode: 0o600 })
  const modes = async () => await Promise.all([secrets, settings].map(async (file) => (await stat(file)).mode & 0o777))
  assert.equal((await runHere(['configure', 'gemini', ...URL_OPTION], { HOME })).code, 0)
  assert.deepEqual(await modes(), [0o600, 0o600])
  await chmod(secrets, 0o640)
  assert.equal((await runHere(['configure', 'gemini', ...URL_OPTION], { HOME })).code, 0)
  assert.deepEqual(await modes(), [0o640, 0o600])
  assert.equal((await runHere(['configure', 'gemini', '--undo'], { HOME })).code, 0)
  assert.equal((await stat(secrets)).mode & 0o777, 0o640)
})

test('configure and --undo write the file that a link leads to, and the link stays', async () => {
  const HOME = await newHome()
  const [link, file] = [join(HOME, '.claude', 'settings.json'), join(HOME, 'dotfiles.json')]
  await mkdir(dirname(link))
  await writeFile(file, '{"model":"opus"}')
  await symlink(file, link)
  assert.equal((await runHere(['configure', 'claude', ...URL_OPTION], { HOME })).code, 0)
  assert.match(await readFile(file, 'utf8'), /apiKeyHelper/)
  assert.equal((await runHere(['configure', 'claude', '--undo'], { HOME })).code, 0)
  assert.equal(await readFile(file, 'utf8'), '{"model":"opus"}')
  assert.ok((await lstat(link)).isSymbolicLink())
})

test('what a person changes between two runs of configure is not lost with --undo', async () => {
  const HOME = await newHome()
  const file = join(HOME, '.claude', 'settings.json')
  await mkdir(dirname(file))
  await writeFile(file, '{"model":"opus"}')
  await runHere(['configure', 'claude', ...URL_OPTION], { HOME })
  await writeFile(file, JSON.stringify({ ...JSON.parse(await readFile(file, 'utf8')), mine: 1 }))
  assert.equal((await runHere(['configure', 'claude', ...URL_OPTION], { HOME })).code, 0)
  assert.equal((await runHere(['configure', 'claude', '--undo'], { HOME })).code, 0)
  assert.deepEqual(JSON.parse(await readFile(file, 'utf8')), { model: 'opus', mine: 1 })
})

test('--undo takes only its own part out of a file that the agent or the person has changed since', async () => {
  const URL_BEFORE = 'GOOGLE_GEMINI_BASE_URL=https://old.example.com\n'
  const cases: [agent: string, path: string[], before: string, change: (text: string) => string, after: string][] = [
    [
      'codex',
      ['.codex', 'config.toml'],
      'model_provider = "mine"\nmodel = "m"\n\n[tui]\nx = 1\n',
      (text) => `${text}\n[projects."/x"]\ntrust_level = "trusted"\n`,
      'model_provider = "mine"\n\nmodel = "m"\n\n[tui]\nx = 1\n\n[projects."/x"]\ntrust_level = "trusted"\n',
    ],
    ['codex', ['.codex', 'config.toml'], '', (text) => `${text}[tui]\nx = 1\n`, '[tui]\nx = 1\n'],
    ['gemini', ['.gemini', '.env'], URL_BEFORE, (text) => `${text}MORE=1\n`, `${URL_BEFORE}MORE=1\n`],
    [
      'claude',
      ['.claude', 'settings.json'],
      '{"env":{"ANTHROPIC_API_KEY":"k"}}',
      (text) => JSON.stringify({ ...JSON.parse(text), apiKeyHelper: 'another', model: 'opus' }),
      '{"env":{"ANTHROPIC_API_KEY":"k"},"apiKeyHelper":"another","model":"opus"}',
    ],
    [
      'opencode',
      ['.config', 'opencode', 'opencode.json'],
      '',
      (text) => JSON.stringify({ ...JSON.parse(text), theme: 'x' }),
      '{"theme":"x"}',
    ],
  ]
  for (const [agent, path, before, change, after] of cases) {
    const HOME = await newHome()
    const file = join(HOME, ...path)
    await mkdir(dirname(file), { recursive: true })
    if (before !== '') await writeFile(file, before)
    assert.equal((await runHere(['configure', agent, ...URL_OPTION], { HOME })).code, 0)
    await writeFile(file, change(await readFile(file, 'utf8')))
    assert.equal((await runHere(['configure', agent, '--undo'], { HOME })).code, 0)
    const text = await readFile(file, 'utf8')
    if (file.endsWith('.json')) assert.deepEqual(JSON.parse(text), JSON.parse(after))
    else assert.equal(text, after)
  }
})

test('configure does not replace what it cannot read', async () => {
  const HOME = await newHome()
  const file = join(HOME, '.claude', 'settings.json')
  // Root may read every file, so this is a link that leads to itself.
  await mkdir(dirname(file))
  await symlink(file, file)
  const { code, stderr } = await runHere(['configure', 'claude', ...URL_OPTION], { HOME })
  assert.equal(code, 1, stderr)
  assert.ok((await lstat(file)).isSymbolicLink())
})

const BEGUN = { device_code: 'long', user_code: 'BCDF-GHJK', interval: 1, expires_in: 600 }
const ESCAPE = '\x1b]0;owned\x07\x1b[2J'

/** Does something with the address of a server. */
async function withServer<Result>(answer: RequestListener, work: (url: string) => Promise<Result>): Promise<Result> {
  const server = createServer(answer)
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const { port } = server.address() as AddressInfo
  try {
    return await work(`http://127.0.0.1:${port}`)
  } finally {
    server.close()
  }
}

/** Runs `gatehouse login` against a server that answers like this, and returns what a person sees. */
async function loginAt(answers: Record<string, { status: number; body: object }>) {
  const HOME = await newHome()
  return await withServer(
    (request, response) => {
      const { status, body } = answers[request.url!.split('/').at(-1)!]!
      response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body))
    },
    async (url) => ({ ...(await runHere(['login', '--url', url], { HOME })), HOME }),
  )
}

const TOKENS = { access_token: 'gate_session_x', refresh_token: 'r', expires_in: 28_800, email: OWNER }

test('login goes on while the gateway restarts: after a lost connection and a page of its proxy', async () => {
  const HOME = await newHome()
  const answers: RequestListener[] = [
    (_request, response) => response.end(JSON.stringify({ ...BEGUN, verification_uri: 'https://ai.example.com/' })),
    (request) => request.socket.destroy(),
    (_request, response) => response.writeHead(502).end('<html>Bad Gateway</html>'),
    (_request, response) => response.end(JSON.stringify(TOKENS)),
  ]
  const code = await withServer(
    (request, response) => answers.shift()!(request, response),
    (url) =>
      run(['login', '--url', url], {
        environment: { HOME },
        print: () => undefined,
        remark: () => undefined,
        sleep: () => Promise.resolve(),
      }),
  )
  assert.equal(code, 0)
  const { stdout } = await runHere(['token'], { HOME })
  assert.equal(stdout, `${TOKENS.access_token}\n`)
})

test('where tokens cannot be stored, login says so before a person confirms anything', async () => {
  const HOME = await newHome()
  await writeFile(join(HOME, '.config'), 'a file')
  let requests = 0
  const { code, stderr } = await withServer(
    () => requests++,
    (url) => runHere(['login', '--url', url], { HOME }),
  )
  assert.deepEqual([code, requests], [1, 0])
  assert.match(stderr, /cannot be written.*XDG_CONFIG_HOME/)
})

test('a lock that cannot be made is no lock of another process', async () => {
  const NAME_WITHOUT_ROOM = 'x'.repeat(253)
  const locked = withLock(join(await newHome(), NAME_WITHOUT_ROOM), () => Promise.resolve())
  await assert.rejects(locked, /cannot be written \(ENAMETOOLONG/)
})

test('logout keeps the sign-in if the gateway has not ended the session, and says so', async () => {
  const HOME = await newHome()
  const file = join(HOME, '.config', 'gatehouse', 'sign-in.json')
  const { code, stderr } = await withServer(
    (_request, response) => response.writeHead(503).end('{"error":"temporarily_unavailable"}'),
    async (url) => {
      await mkdir(dirname(file), { recursive: true })
      await writeFile(file, JSON.stringify({ url, access: 'a', refresh: 'r', expiresAt: 0, email: null }))
      return await runHere(['logout'], { HOME })
    },
  )
  assert.equal(code, 1)
  assert.match(stderr, /You are still signed in\. The gateway refused: temporarily_unavailable/)
  await stat(file)
})

test('login shows no escape sequences of a server, and keeps no answer that is no token', async () => {
  const page = { verification_uri: 'https://ai.example.com/v3/device' }
  const refused = await loginAt({ device_authorization: { status: 400, body: { error_description: `No ${ESCAPE}` } } })
  assert.equal(refused.code, 1)
  assert.match(refused.stderr, /refused: No/)
  assert.ok(!refused.stderr.includes('\x1b'), JSON.stringify(refused.stderr))
  for (const body of [
    { ...BEGUN, ...page, user_code: ESCAPE },
    { ...BEGUN, verification_uri: 'javascript:alert(1)' },
    { ...BEGUN, ...page, expires_in: undefined },
    {},
  ]) {
    const { code, stderr } = await loginAt({ device_authorization: { status: 200, body } })
    assert.equal(code, 1)
    assert.match(stderr, /is not a gateway/)
  }
  const tokens = { access_token: `gate${ESCAPE}`, refresh_token: 'r', expires_in: 60 }
  const begun = { status: 200, body: { ...BEGUN, ...page } }
  const { code, stderr, HOME } = await loginAt({ device_authorization: begun, token: { status: 200, body: tokens } })
  assert.equal(code, 1)
  assert.match(stderr, /is not a gateway/)
  await assert.rejects(stat(join(HOME, '.config', 'gatehouse', 'sign-in.json')), { code: 'ENOENT' })
})
