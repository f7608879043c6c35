import assert from 'node:assert/strict'
import { globSync, readFileSync } from 'node:fs'
import { basename, dirname, join, normalize } from 'node:path'
import { test } from 'node:test'
import { FOLDERS, MODULES, UNITS } from './boundaries.ts'

// Which module may import which, and which code has to be in one place. ARCHITECTURE.md says the same in prose.

/** Code that may be in one place only, so that a reader finds it there. */
const HOMES: { word: RegExp; home: RegExp; why: string }[] = [
  {
    word: /\bprocess\.env\b/,
    home: /^(config\/environment|http\/docs\/samples)\.ts$/,
    why: 'only the config reads the environment (and a printed sample)',
  },
  { word: /from '(undici|node:(net|tls|https|dgram|http2))'/, home: /^net\//, why: 'only net opens sockets' },
  { word: /(?<![.\w])fetch\(/, home: /^net\//, why: 'only net opens sockets' },
  {
    word: /from '(pg|node:sqlite)'|\b(SELECT|INSERT INTO|UPDATE|DELETE FROM)\s+\w+/,
    home: /^(store|import\/litellm\/database)\//,
    why: 'SQL lives in store, and SQL for the database of another gateway where it is imported',
  },
  { word: /from 'fastify'/, home: /^(http\/|gateway\.ts$|cli\/serve\.ts$)/, why: 'only http knows the web framework' },
  {
    word: /\b(86_400|3_600_000|1024 \* 1024)/,
    home: /^(units\/|store\/migrations\/|http\/openapi\/examples\.ts$)/,
    why: 'units/units.ts says how long a day or an hour is, and how large a megabyte',
  },
  {
    word: /\beval\(|new Function\(|from 'node:(vm|child_process)'/,
    home: /^(?!)/,
    why: 'nothing runs code or programs from data',
  },
  {
    word: /\bnew Order\(/,
    home: /^(calls\/(spending|order)|upstream\/cached-content)\.ts$/,
    why: 'only the spending of a call orders and pays (and a block of content, which outlives its call)',
  },
  {
    word: /\bcloseCall\(/,
    home: /^(calls\/close-call|attempts\/run-call)\.ts$/,
    why: 'every call is closed in one place, where its ledger line is written',
  },
  { word: /\bas never\b/, home: /^(?!)/, why: 'a cast to never hides what is really passed' },
]

/** Modules that get their clock and their randomness from their callers. */
const WITHOUT_CLOCK = [
  ...[
    'access',
    'app',
    'attempts',
    'audio',
    'billing',
    'calls',
    'catalog',
    'chat',
    'contract',
    'dialects',
    'embeddings',
  ],
  ...['file-inputs', 'files', 'hooks', 'images', 'json', 'moderations', 'providers', 'routing', 'sandbox', 'schema'],
  ...['telemetry', 'tokens', 'universal', 'upstream'],
]

const ROOT = join(import.meta.dirname, '..')
const SRC = join(ROOT, 'src')
const files = globSync('**/*.ts', { cwd: SRC })
  .filter((file) => !file.endsWith('.test.ts') && !file.includes('/fixtures/'))
  .map((path) => ({ path, text: readFileSync(join(SRC, path), 'utf8') }))
  .map((file) => ({ ...file, imports: importsOf(file) }))

test('there are files to look at', () => assert.ok(files.length > 500))

test('a module imports only the modules that it may import', () => {
  const wrong = files.flatMap(({ path, imports }) => {
    assert.ok(
      moduleOf(path) in MODULES,
      `src/${moduleOf(path)} has no entry: add it to test/boundaries.ts and to ARCHITECTURE.md`,
    )
    return imports
      .filter((target) => !mayImport(moduleOf(path), moduleOf(target)))
      .map((target) => `${path} → ${target}`)
  })
  assert.deepEqual(wrong, [])
})

test('a folder of a module imports only the folders beside it that it may import', () => {
  const wrong = files.flatMap(({ path, imports }) => {
    const within = imports.filter(
      (target) => moduleOf(target) === moduleOf(path) && folderOf(target) !== folderOf(path),
    )
    const allowed = namesIn(FOLDERS[moduleOf(path)]?.[folderOf(path)])
    return within.filter((target) => !allowed.includes(folderOf(target))).map((target) => `${path} → ${target}`)
  })
  assert.deepEqual(wrong, [])
})

test('every folder of a module has an entry, and no entry is without its folder', () => {
  const real = [
    ...new Set(files.filter(({ path }) => path.includes('/')).map(({ path }) => `${moduleOf(path)}/${folderOf(path)}`)),
  ]
  const named = Object.entries(FOLDERS).flatMap(([module, folders]) =>
    Object.keys(folders).map((name) => `${module}/${name}`),
  )
  const alone = real.filter((folder) => real.filter((other) => other.split('/')[0] === folder.split('/')[0]).length > 1)
  assert.deepEqual(named.sort(), alone.sort())
})

test('modules do not form a circle', () => {
  const visit = (module: string, way: string[]): string[] => {
    if (way.includes(module)) return [[...way, module].join(' → ')]
    return namesIn(MODULES[module])
      .filter((next) => next !== '*' && next !== 'root')
      .flatMap((next) => visit(next, [...way, module]))
  }
  for (const module of Object.keys(MODULES)) assert.deepEqual(visit(module, []).slice(0, 1), [])
})

test('files do not form a circle', () => {
  const importsBy = new Map(files.map(({ path, imports }) => [path, imports]))
  const done = new Set<string>()
  const visit = (path: string, way: readonly string[]): string[] => {
    if (way.includes(path)) return [...way.slice(way.indexOf(path)), path]
    if (done.has(path)) return []
    done.add(path)
    for (const next of importsBy.get(path) ?? []) {
      const circle = visit(next, [...way, path])
      if (circle.length > 0) return circle
    }
    return []
  }
  for (const { path } of files) assert.equal(visit(path, []).join(' → '), '')
})

test('code stays in its home', () => {
  const wrong = files.flatMap(({ path, text }) => {
    const code = withoutTypeImports(withoutComments(text))
    return HOMES.filter(({ word, home }) => word.test(code) && !home.test(path)).map(({ why }) => `${path}: ${why}`)
  })
  assert.deepEqual(wrong, [])
})

test('modules are handed their clock and their randomness', () => {
  const wrong = files
    .filter(({ path }) => WITHOUT_CLOCK.includes(moduleOf(path)))
    .filter(({ text }) => /\bDate\.now\(|new Date\(\)|Math\.random\(|randomUUID\(/.test(withoutComments(text)))
  assert.deepEqual(
    wrong.map(({ path }) => path),
    [],
  )
})

test('no file or folder is called utils, helpers, common, types or misc', () => {
  assert.deepEqual(
    files.filter(({ path }) => /(^|\/)(utils?|helpers?|common|types|misc)(\/|\.ts$)/.test(path)),
    [],
  )
})

function namesIn(list = ''): string[] {
  return list.split(' ').filter(Boolean)
}

function mayImport(from: string, to: string): boolean {
  const allowed = namesIn(MODULES[from])
  return from === to || to === UNITS || allowed.includes('*') || allowed.includes(to)
}

/** `root` stands for the files in src itself. */
function moduleOf(path: string): string {
  return path.includes('/') ? path.split('/')[0]! : 'root'
}

/** The first folder inside of a module; `.` is the module itself. */
function folderOf(path: string): string {
  const folder = path.split('/')[1] ?? ''
  return folder === basename(path) || folder === '' ? '.' : folder
}

function importsOf({ path, text }: { path: string; text: string }): string[] {
  return [...text.matchAll(/(?:from|import)\s*\(?\s*'(\.[^']+)'/g)].map((match) =>
    normalize(join(dirname(path), match[1]!)),
  )
}

function withoutComments(text: string): string {
  return text.replace(/\/\*[\s\S]*?\*\//g, '').replace(/(^|\s)\/\/.*$/gm, '')
}

/** A type opens no socket and runs no query. */
function withoutTypeImports(text: string): string {
  return text.replace(/^import type .*$/gm, '')
}
