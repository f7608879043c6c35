import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
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
import { writeCodeCache } from './write-code-cache.ts'
import { toJavaScript, writeConsole, writeLib } from './write-lib.ts'

const ROOT = join(import.meta.dirname, '..')
const SPECIFIER = /(?:from |import\(|new URL\()'(\.{1,2}\/[^']+)'/g
const folder = mkdtempSync(join(tmpdir(), 'gatehouse-lib-'))
after(() => rmSync(folder, { recursive: true }))
const count = writeLib(join(folder, 'lib'))
for (const name of ['bin', 'package.json']) cpSync(join(ROOT, name), join(folder, name), { recursive: true })
symlinkSync(join(ROOT, 'node_modules'), join(folder, 'node_modules'))

test('types are left out, line numbers stay, and files of ours are named by what they become', () => {
  const lines = (end: string, type: string) => [
    `import { a } from './a.${end}'`,
    `const b${type} = 1`,
    `const c = new URL('../c.${end}', d)`,
    `import(\`./\${b}/e.${end}\`)`,
  ]
  const expected = lines('js', ' '.repeat(': number'.length)).join('\n')
  assert.equal(toJavaScript(lines('ts', ': number').join('\n')), expected)
})

test('every file that is named is there, and no test is', () => {
  const files = readdirSync(join(folder, 'lib'), { recursive: true, encoding: 'utf8' })
  assert.ok(count > 800)
  assert.deepEqual(
    files.filter((file) => /\.ts$|\.test\.|fixtures|\.recorded\./.test(file)),
    [],
  )
  for (const file of files.filter((name) => name.endsWith('.js'))) {
    const text = readFileSync(join(folder, 'lib', file), 'utf8')
    for (const [, name] of text.matchAll(SPECIFIER))
      if (/\.js(?:on)?$/.test(name!))
        assert.ok(existsSync(join(folder, 'lib', dirname(file), name!)), `${file}: ${name}`)
  }
})

test('the command runs without the source', async () => {
  const checked = await promisify(execFile)(process.execPath, [join(folder, 'bin/gatehouse.js'), 'catalog', 'check'])
  assert.match(checked.stdout, /models/)
})

test('the package brings compiled code along, wherever it is, and runs without a place to look for it', async () => {
  const modules = await writeCodeCache(join(folder, 'lib'))
  assert.ok(modules > 1_000, `${modules} modules`)
  const moved = join(folder, 'moved')
  mkdirSync(moved)
  for (const name of ['bin', 'lib', 'package.json', 'node_modules'])
    cpSync(join(folder, name), join(moved, name), { recursive: true, verbatimSymlinks: true })
  const first = await startOfMoved()
  assert.match(first, /reading cache from \S*\/moved\/code-cache\//)
  assert.match(first, /code cache for ESM file:\S*\/moved\/lib\/cli\/cli\.js was accepted/)
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

test('the package has the console, which needs neither its source nor esbuild', async () => {
  await writeConsole(join(folder, 'lib'))
  const script = `import('${join(folder, 'lib/http/console/bundle.js')}').then(async ({ currentBundle }) => {
    const { page, assets } = await currentBundle()
    console.log(JSON.stringify([page.includes('/assets/console-'), [...assets.keys()].length > 3]))
  })`
  const { stdout } = await promisify(execFile)(process.execPath, ['-e', script])
  assert.equal(stdout.trim(), '[true,true]')
})
