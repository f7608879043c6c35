import assert from 'node:assert/strict'
import { globSync, readFileSync } from 'node:fs'
import { dirname, join, normalize } from 'node:path'
import { test } from 'node:test'

// The walls of the house: who may import whom, and which words have one home. ARCHITECTURE.md tells the same as prose.

/** A room is a folder of src; `root` is what stands in src itself. */
const MAY_IMPORT: Record<string, readonly string[]> = {
  bytes: [],
  contract: [],
  fairness: [],
  json: ['contract'],
  dialects: ['bytes', 'contract', 'json'],
  providers: ['dialects'],
  catalog: ['contract', 'providers'],
  config: ['contract', 'dialects', 'providers', 'catalog'],
  sandbox: ['contract', 'json'],
  features: ['bytes', 'contract', 'json'],
  hooks: ['contract', 'json'],
  engines: ['bytes', 'contract', 'hooks', 'blobs', 'fairness'],
  tokens: ['contract', 'json', 'fairness'],
  formats: ['contract', 'json'],
  net: ['bytes', 'contract', 'fairness'],
  blobs: ['bytes', 'contract', 'fairness'],
  store: ['contract', 'fairness'],
  webhooks: ['contract', 'net', 'store'],
  jobs: ['contract', 'core', 'store', 'webhooks'],
  core: [
    ...['contract', 'json', 'dialects', 'providers', 'catalog', 'config', 'features', 'hooks', 'tokens', 'formats'],
    ...['net', 'store', 'blobs', 'fairness', 'bytes'],
  ],
  http: ['bytes', 'contract', 'json', 'core', 'catalog', 'formats', 'fairness'],
  cli: ['config', 'contract', 'catalog', 'core', 'store', 'webhooks', 'root'],
  root: ['*'],
}

/** Words that may stand in one place only: what they do is to be looked for there. */
const HOMES: { word: RegExp; home: RegExp; why: string }[] = [
  {
    word: /\bprocess\.env\b/,
    home: /^(config\/config|http\/docs\/samples)\.ts$/,
    why: 'the environment has one reader (and a printed sample)',
  },
  { word: /from '(undici|node:(net|tls|https|dgram|http2))'/, home: /^net\//, why: 'sockets are opened in net' },
  { word: /(?<![.\w])fetch\(/, home: /^net\//, why: 'sockets are opened in net' },
  {
    word: /from '(pg|node:sqlite)'|\b(SELECT|INSERT INTO|UPDATE|DELETE FROM)\s+\w+/,
    home: /^store\//,
    why: 'SQL lives in store',
  },
  { word: /from 'fastify'/, home: /^(http\/|gateway\.ts$|cli\/serve\.ts$)/, why: 'only http knows the web framework' },
  {
    word: /\beval\(|new Function\(|from 'node:(vm|child_process)'/,
    home: /^(?!)/,
    why: 'nothing runs code or programs from data',
  },
]

/** Rooms that are handed their clock and their randomness. */
const TIMELESS = ['contract', 'json', 'dialects', 'providers', 'catalog', 'core', 'sandbox', 'hooks']

const SRC = join(import.meta.dirname, '..', 'src')
const files = globSync('**/*.ts', { cwd: SRC })
  .filter((file) => !file.endsWith('.test.ts') && !file.includes('/fixtures/'))
  .map((path) => ({ path, module: moduleOf(path), text: readFileSync(join(SRC, path), 'utf8') }))

test('there is a house to look at', () => assert.ok(files.length > 50))

test('every room imports only what it may', () => {
  const wrong = files.flatMap(({ path, module, text }) => {
    const allowed = MAY_IMPORT[module]
    assert.ok(allowed, `src/${module} is not on the map: add it to MAY_IMPORT and to ARCHITECTURE.md`)
    return importsOf(path, text)
      .filter((target) => !allowed.includes('*') && target !== module && !allowed.includes(target))
      .map((target) => `${path} imports from ${target}`)
  })
  assert.deepEqual(wrong, [])
})

test('rooms do not form a circle', () => {
  const visit = (module: string, way: string[]): string[] => {
    if (way.includes(module)) return [[...way, module].join(' → ')]
    return (MAY_IMPORT[module] ?? [])
      .filter((next) => next !== '*' && next !== 'root')
      .flatMap((next) => visit(next, [...way, module]))
  }
  assert.deepEqual(
    Object.keys(MAY_IMPORT).flatMap((module) => visit(module, [])),
    [],
  )
})

test('words stay in their home', () => {
  const wrong = files.flatMap(({ path, text }) => {
    const code = withoutTypeImports(withoutComments(text))
    return HOMES.filter(({ word, home }) => word.test(code) && !home.test(path)).map(({ why }) => `${path}: ${why}`)
  })
  assert.deepEqual(wrong, [])
})

test('clock and chance come in through the outside', () => {
  const wrong = files
    .filter(({ module }) => TIMELESS.includes(module))
    .filter(({ text }) => /\bDate\.now\(|new Date\(\)|Math\.random\(|randomUUID\(/.test(withoutComments(text)))
  assert.deepEqual(
    wrong.map(({ path }) => path),
    [],
  )
})

test('no junk drawers', () => {
  assert.deepEqual(
    files.filter(({ path }) => /(^|\/)(utils?|helpers?|common|types|misc)(\/|\.ts$)/.test(path)),
    [],
  )
})

test('every file is of a size that can be read at once', () => {
  const long = files.filter(({ text }) => text.split('\n').length > 300).map(({ path }) => path)
  assert.deepEqual(long, [])
})

function moduleOf(path: string): string {
  return path.includes('/') ? path.split('/')[0]! : 'root'
}

function importsOf(path: string, text: string): string[] {
  const targets = [...text.matchAll(/(?:from|import)\s*\(?\s*'(\.[^']+)'/g)].map((match) =>
    normalize(join(dirname(path), match[1]!)),
  )
  return targets.map(moduleOf)
}

function withoutComments(text: string): string {
  return text.replace(/\/\*[\s\S]*?\*\//g, '').replace(/(^|\s)\/\/.*$/gm, '')
}

/** A type opens no socket and runs no query. */
function withoutTypeImports(text: string): string {
  return text.replace(/^import type .*$/gm, '')
}
