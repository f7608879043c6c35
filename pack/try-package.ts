// Packs the package, installs it into an empty folder as a user would, starts it there and sends a request. Prints seconds and
// megabytes. `npm run try-package -- --omit=optional` passes options on to `npm install`.
import { execFileSync, spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { delimiter, join } from 'node:path'
import { freePort } from '../src/platform/net/free-port.ts'
import { API_KEY, ask, untilReady } from './ask-gateway.ts'

const ROOT = join(import.meta.dirname, '..')
/** What `npm pack` writes into the checkout. */
const WRITTEN = ['lib', 'sbom.cdx.json']

const folder = mkdtempSync(join(tmpdir(), 'gatehouse-package-'))
try {
  npm(ROOT, 'pack', '--silent', '--pack-destination', folder)
  const tarball = readdirSync(folder).find((name) => name.endsWith('.tgz'))!
  writeFileSync(join(folder, 'package.json'), '{}')
  const installed = timed(() => npm(folder, 'install', '--silent', join(folder, tarball), ...process.argv.slice(2)))
  console.log(`installed in ${installed} s, ${megabytes(join(folder, 'node_modules'))} MB`)
  // The first start may find files that are not in the memory of the machine yet.
  for (const _start of ['first', 'second']) await startAndAsk()
} finally {
  rmSync(folder, { recursive: true, force: true })
  for (const name of WRITTEN) rmSync(join(ROOT, name), { recursive: true, force: true })
}

async function startAndAsk(): Promise<void> {
  const port = await freePort('127.0.0.1', 0)
  const env = {
    ...withoutCheckout(),
    PORT: String(port),
    ADMIN_PORT: '0',
    GATEHOUSE_API_KEY: API_KEY,
    DATA_DIR: join(folder, 'data'),
  }
  const start = performance.now()
  const gateway = spawn('npx', ['--no-install', 'gatehouse-ai'], { cwd: folder, env, stdio: 'inherit', detached: true })
  try {
    await untilReady(`http://127.0.0.1:${port}`, gateway)
    console.log(`ready in ${secondsSince(start)} s`)
    console.log('answered:', await ask(`http://127.0.0.1:${port}`, 'Hello, package!'))
  } finally {
    // npx does not pass signals on to what it started, so the whole group gets the signal.
    if (gateway.exitCode === null) {
      process.kill(-gateway.pid!, 'SIGTERM')
      await once(gateway, 'close')
    }
  }
}

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
  return secondsSince(start)
}

function secondsSince(start: number): string {
  return ((performance.now() - start) / 1000).toFixed(1)
}

function megabytes(path: string): string {
  return existsSync(path) ? execFileSync('du', ['-sm', path], { encoding: 'utf8' }).split('\t')[0]! : '0'
}
