import assert from 'node:assert/strict'
import { execFile, spawn } from 'node:child_process'
import { once } from 'node:events'
import {
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { after, test } from 'node:test'
import { promisify } from 'node:util'
import { freePort } from '../src/platform/net/free-port.ts'
import { API_KEY, ask, untilReady } from './ask-gateway.ts'
import { writeCodeCache } from './write-code-cache.ts'
import { withOwnPaths, writeConsole, writeLib } from './write-lib.ts'

const ROOT = join(import.meta.dirname, '..')
const SPECIFIER = /(?:from |^import |import\()"(\.{1,2}\/[^"*]+)"/gm
const folder = mkdtempSync(join(tmpdir(), 'gatehouse-lib-'))
after(() => rmSync(folder, { recursive: true }))
const count = await writeLib(join(folder, 'lib'))
for (const name of ['bin', 'package.json']) cpSync(join(ROOT, name), join(folder, name), { recursive: true })
symlinkSync(join(ROOT, 'node_modules'), join(folder, 'node_modules'))

test('a module finds its threads and its other files at the same place under lib/, in whichever file it is', () => {
  const own = 'new URL("a/b.ts", __gatehouse_lib__).href'
  assert.equal(withOwnPaths("new URL('../c.ts', import.meta.url)", 'a/b.ts'), `new URL('../c.js', ${own})`)
  assert.equal(withOwnPaths("new URL('d.json', import.meta.url)", 'a/b.ts'), `new URL('d.json', ${own})`)
})

test('every file that is named is there, and no test is', () => {
  const files = readdirSync(join(folder, 'lib'), { recursive: true, encoding: 'utf8' })
  assert.ok(count > 100)
  assert.deepEqual(
    files.filter((file) => /\.ts$|\.test\.|fixtures|\.recorded\./.test(file)),
    [],
  )
  for (const file of files.filter((name) => name.endsWith('.js'))) {
    const text = readFileSync(join(folder, 'lib', file), 'utf8')
    for (const [, name] of text.matchAll(SPECIFIER))
      assert.ok(existsSync(join(folder, 'lib', dirname(file), name!)), `${file}: ${name}`)
  }
})

test('the command runs without the source', async () => {
  const checked = await promisify(execFile)(process.execPath, [join(folder, 'bin/gatehouse.js'), 'catalog', 'check'])
  assert.match(checked.stdout, /models/)
})

test('the package brings compiled code along, wherever it is, and runs without a place to look for it', async () => {
  const modules = await writeCodeCache(join(folder, 'lib'))
  assert.ok(modules > 200, `${modules} modules`)
  const moved = join(folder, 'moved')
  mkdirSync(moved)
  for (const name of ['bin', 'lib', 'package.json', 'node_modules'])
    cpSync(join(folder, name), join(moved, name), { recursive: true, verbatimSymlinks: true })
  const first = await startOfMoved()
  assert.match(first, /reading cache from \S*\/moved\/code-cache\//)
  assert.match(first, /code cache for ESM file:\S*\/moved\/lib\/cli\/main\.js was accepted/)
  rmSync(join(moved, 'code-cache'), { recursive: true })
  writeFileSync(join(moved, 'code-cache'), 'no folder')
  assert.doesNotMatch(await startOfMoved(), /was accepted/)

  /** Node itself reports what it does with its cache. */
  async function startOfMoved() {
    const env = { PATH: process.env.PATH, NODE_DEBUG_NATIVE: 'COMPILE_CACHE' }
    const program = join(moved, 'bin/gatehouse.js')
    const { stdout, stderr } = await promisify(execFile)(process.execPath, [program, '--version'], { env })
    assert.match(stdout, /^gatehouse-ai \d/m)
    return `${stdout}${stderr}`
  }
})

test('the packed program has its threads, its data and its console, without its source and without esbuild', async () => {
  await writeConsole(join(folder, 'lib'))
  const [port, adminPort] = [await freePort('127.0.0.1', 0), await freePort('127.0.0.1', 0)]
  const env = {
    PATH: process.env.PATH,
    HOME: folder,
    DATA_DIR: join(folder, 'data'),
    DRAIN_DELAY_SECONDS: '0',
    HOST: '127.0.0.1',
    PORT: String(port),
    ADMIN_PORT: String(adminPort),
    GATEHOUSE_API_KEY: API_KEY,
  }
  const program = join(folder, 'bin/gatehouse.js')
  const gateway = spawn(process.execPath, [program, 'serve'], {
    cwd: folder,
    env,
    stdio: ['ignore', 'ignore', 'inherit'],
  })
  const ended = once(gateway, 'close')
  try {
    const url = `http://127.0.0.1:${port}`
    await untilReady(url, gateway)
    assert.match(await ask(url, 'Hello!'), /Hello!/)
    const headers = { authorization: `Bearer ${API_KEY}`, 'content-type': 'application/json' }
    const body = JSON.stringify({ model: 'text/sentiment_analysis/local', input: { text: 'What a wonderful day!' } })
    const task = await fetch(`${url}/v3/universal-ai`, { method: 'POST', headers, body })
    assert.equal(
      ((await task.json()) as { output: { general_sentiment: string } }).output.general_sentiment,
      'Positive',
    )
    const page = await (await fetch(`http://127.0.0.1:${adminPort}/`)).text()
    const [, script] = /src="(\/assets\/console-[^"]+)"/.exec(page)!
    assert.equal((await fetch(`http://127.0.0.1:${adminPort}${script}`)).status, 200)
    assert.match(await (await fetch(`${url}/docs`)).text(), /docs\/assets\/docs-/)
  } finally {
    gateway.kill('SIGTERM')
    await ended
  }
})
