// Packs the package, installs it into an empty folder as a user would, starts it there and sends a request. Prints seconds and
// megabytes. `npm run try-package -- --omit=optional` passes options on to `npm install`.
import { type ChildProcess, execFileSync, spawn } from 'node:child_process'
import { existsSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { delimiter, join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'

const ROOT = join(import.meta.dirname, '..')
const API_KEY = 'gate-tried-0123456789abcdef0123456789abcdef'
const START_TRIES = 300
const TRY_MS = 100

const folder = mkdtempSync(join(tmpdir(), 'gatehouse-package-'))
try {
  npm(ROOT, 'pack', '--silent', '--pack-destination', folder)
  const tarball = readdirSync(folder).find((name) => name.endsWith('.tgz'))!
  writeFileSync(join(folder, 'package.json'), '{}')
  const installed = timed(() => npm(folder, 'install', '--silent', join(folder, tarball), ...process.argv.slice(2)))
  console.log(`installed in ${installed} s, ${megabytes(join(folder, 'node_modules'))} MB`)
  await startAndAsk()
} finally {
  rmSync(folder, { recursive: true, force: true })
  rmSync(join(ROOT, 'lib'), { recursive: true, force: true })
}

async function startAndAsk(): Promise<void> {
  const port = await freePort()
  const env = {
    ...withoutCheckout(),
    PORT: String(port),
    ADMIN_PORT: '0',
    GATEHOUSE_API_KEY: API_KEY,
    DATA_DIR: join(folder, 'data'),
  }
  const gateway = spawn('npx', ['--no-install', 'gatehouse-ai'], { cwd: folder, env, stdio: 'inherit', detached: true })
  try {
    await untilReady(`http://127.0.0.1:${port}/health/ready`, gateway)
    console.log('answered:', await ask(`http://127.0.0.1:${port}/v3/chat/completions`))
  } finally {
    // npx does not pass signals on to what it started, so the whole group gets the signal.
    if (gateway.exitCode === null) process.kill(-gateway.pid!, 'SIGTERM')
  }
}

async function untilReady(url: string, gateway: ChildProcess): Promise<void> {
  for (let tries = 0; tries < START_TRIES; tries++) {
    if (gateway.exitCode !== null) throw new Error(`the gateway ended with ${gateway.exitCode}`)
    if (
      await fetch(url).then(
        ({ ok }) => ok,
        () => false,
      )
    )
      return
    await sleep(TRY_MS)
  }
  throw new Error('the gateway did not become ready')
}

async function ask(url: string): Promise<string> {
  const body = JSON.stringify({ model: 'sandbox/echo', messages: [{ role: 'user', content: 'Hello, package!' }] })
  const headers = { authorization: `Bearer ${API_KEY}`, 'content-type': 'application/json' }
  const answer = (await (await fetch(url, { method: 'POST', headers, body })).json()) as Completion
  const text = answer.choices?.[0]?.message.content
  if (text !== 'Hello, package!') throw new Error(`unexpected answer: ${JSON.stringify(answer)}`)
  return text
}

type Completion = { choices?: { message: { content: string } }[] }

function npm(cwd: string, ...parameters: string[]): void {
  execFileSync('npm', parameters, { cwd, env: withoutCheckout(), stdio: ['ignore', 'ignore', 'inherit'] })
}

/** Nothing of the checkout may help: not its Node, and not what npm has told this script about it. */
function withoutCheckout(): NodeJS.ProcessEnv {
  const path = (process.env.PATH ?? '').split(delimiter).filter((part) => !part.includes('node_modules'))
  const kept = Object.entries(process.env).filter(([name]) => !/^npm_(?!config_(?:registry|cache))/i.test(name))
  return { ...Object.fromEntries(kept), PATH: path.join(delimiter) }
}

function timed(act: () => void): string {
  const start = performance.now()
  act()
  return ((performance.now() - start) / 1000).toFixed(1)
}

function megabytes(path: string): string {
  return existsSync(path) ? execFileSync('du', ['-sm', path], { encoding: 'utf8' }).split('\t')[0]! : '0'
}

async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1')
  await new Promise((resolve) => server.once('listening', resolve))
  const { port } = server.address() as { port: number }
  await new Promise((resolve) => server.close(resolve))
  return port
}
