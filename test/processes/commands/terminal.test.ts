import assert from 'node:assert/strict'
import { type ChildProcess, spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, describe, test } from 'node:test'
import { pathToFileURL } from 'node:url'
import { stripVTControlCharacters } from 'node:util'
import { withSharedKey } from '../../fakes/signing-key.ts'
import { lineWith, NO_CONFIG, PROGRAM, temporaryFolder } from '../../gateway/gateway-process.ts'

// A gateway in a terminal. `script` of util-linux makes a real one.

const LOG = pathToFileURL(join(import.meta.dirname, '..', '..', '..', 'src', 'cli', 'log.ts')).href
const CTRL_C = '\u0003'
const ESCAPE = '\u001b'
const CLEAR_LINE = `\r${ESCAPE}[2K`
const SECRETS = ['query-secret', 'sk-path-secret-secret', 'header-secret', 'basic-secret']
const folder = await temporaryFolder()
after(() => folder.remove())

describe('on a terminal', { skip: reasonToSkip() }, () => {
  test('a start has a banner, and every request one line without a secret', async () => {
    const settings = {
      PORT: '0',
      ADMIN_PORT: '0',
      DATA_DIR: folder.data,
      GATEHOUSE_API_KEY: 'terminal-key',
      ...withSharedKey(),
    }
    const { child, output } = inTerminal(`"${process.execPath}" "${PROGRAM}" serve`, {
      ...settings,
      OPENAI_API_KEY: 'x',
    })
    after(() => child.kill('SIGKILL'))
    await lineWith(child, output, 'listening')
    const url = /API {8}(http:\S+)\/v3/.exec(output())![1]!
    assert.match(output(), /Gatehouse \d+\.\d+\.\d+\n/)
    assert.match(output(), new RegExp(`Docs {7}${url}/docs\n`))
    assert.match(output(), /Store {6}SQLite in .*\n\s+Providers {2}openai\n/)
    assert.match(output(), /Admin key \(shown only once\): {2}gate_admin_/)

    const headers = { authorization: 'Bearer terminal-key', 'content-type': 'application/json' }
    const messages = [{ role: 'user', content: 'hello' }]
    const chat = { method: 'POST', headers, body: JSON.stringify({ model: 'sandbox/echo', messages }) }
    assert.equal((await fetch(`${url}/v3/chat/completions`, chat)).status, 200)
    await fetch(`${url}/v3/nothing?key=${SECRETS[0]}`, { headers })
    await fetch(`${url}/v3/${SECRETS[1]}/x`, { headers })
    await fetch(`${url}/v3/models`, { headers: { authorization: `Bearer ${SECRETS[2]}`, 'x-api-key': SECRETS[3]! } })
    await lineWith(child, output, '401 invalid_api_key')

    const lines = output().split('\n')
    const requests = lines.filter((line) => /^\d\d:\d\d:\d\d (?:GET|POST) /.test(line)).map((line) => line.slice(9))
    assert.equal(requests.length, 4)
    assert.match(
      requests[0]!,
      /^POST \/v3\/chat\/completions {2}sandbox\/echo {2}200 {2}\d+ ms {2}\d+ → \d+ tokens {2}\$0$/,
    )
    assert.match(requests[1]!, /^GET \/v3\/nothing\?\*\*\* {2}404 not_found {2}\d+ ms$/)
    assert.match(requests[2]!, /^GET \/v3\/\*\*\*\/x {2}404 not_found {2}\d+ ms$/)
    assert.match(requests[3]!, /^GET \/v3\/models {2}401 invalid_api_key {2}\d+ ms$/)
    for (const secret of SECRETS) assert.ok(!output().includes(secret), secret)

    child.stdin!.write(CTRL_C)
    const [code] = await once(child, 'close')
    assert.equal(code, 0, output())
    assert.match(output(), /info {2}stopped/)
  })

  test('the log is for people, in colour unless NO_COLOR is set; LOG_FORMAT overrides', async () => {
    assert.match(await logged({}), new RegExp(`^${ESCAPE}\\[2m\\d\\d:\\d\\d:\\d\\d${ESCAPE}\\[22m .*hello`))
    assert.match(await logged({ NO_COLOR: '1' }), /^\d\d:\d\d:\d\d info {2}hello n=1\r?\n$/)
    assert.match(await logged({ TERM: 'dumb' }), /^\d\d:\d\d:\d\d info {2}hello n=1\r?\n$/)
    assertJson(await logged({}, 'json'))
  })

  test('long work shows how far it is, in a line that is gone at the end', async () => {
    const env = { DATA_DIR: join(folder.path, 'other'), GATEHOUSE_CONFIG: NO_CONFIG }
    const { child, output } = inTerminal(`"${process.execPath}" "${PROGRAM}" migrate`, env, (text) => text)
    await once(child, 'close')
    const [, ...lines] = output().split(CLEAR_LINE)
    assert.ok(
      lines.some((line) => /^Migrating the database: \d+ of \d+, statement \d+ of \d+, \d+ s$/.test(line)),
      output(),
    )
    assert.equal(lines.at(-1), 'The SQLite database is up to date.\r\n')
  })

  async function logged(env: Record<string, string>, format = ''): Promise<string> {
    const { child, output } = inTerminal(logCommand(format), env, (text) => text)
    await once(child, 'close')
    return output()
  }
})

test('elsewhere the log is JSON lines with ISO times; LOG_FORMAT overrides, without colours', () => {
  const run = (format: string) => spawnSync('sh', ['-c', logCommand(format)], { encoding: 'utf8' }).stdout
  assertJson(run(''))
  assert.match(run('pretty'), /^\d\d:\d\d:\d\d info {2}hello n=1\n$/)
})

function assertJson(text: string): void {
  const { time, ...line } = JSON.parse(text)
  assert.deepEqual(line, { level: 'info', n: 1, msg: 'hello' })
  assert.equal(new Date(time).toISOString(), time)
}

/** A command that logs one line. */
function logCommand(format: string): string {
  const settings = `{ logLevel: 'info', logFormat: '${format}' || undefined }`
  const program = `const { openLog } = await import('${LOG}'); const log = openLog(${settings}); log.info({ n: 1 }, 'hello'); await log.flush()`
  return `"${process.execPath}" --input-type=module -e "${program}"`
}

type InTerminal = { child: ChildProcess; output(): string }

/** Runs a command in a terminal of its own. What is written to stdin is typed. */
function inTerminal(command: string, env: Record<string, string>, shown = plainText): InTerminal {
  const settings = { PATH: process.env.PATH, HOME: tmpdir(), TERM: 'xterm-256color', SHELL: '/bin/sh', ...env }
  const child = spawn('script', ['-qec', `exec ${command}`, '/dev/null'], {
    cwd: tmpdir(),
    env: settings,
    stdio: 'pipe',
  })
  let text = ''
  child.stdout.setEncoding('utf8').on('data', (piece) => {
    text += piece
  })
  return { child, output: () => shown(text) }
}

function plainText(text: string): string {
  return stripVTControlCharacters(text).replaceAll('\r\n', '\n')
}

function reasonToSkip(): string | false {
  const { stdout } = spawnSync('script', ['--version'], { encoding: 'utf8' })
  return stdout?.includes('util-linux') ? false : 'there is no `script` of util-linux here'
}
