import assert from 'node:assert/strict'
import { globSync, readFileSync } from 'node:fs'
import { dirname, join, normalize } from 'node:path'
import { test } from 'node:test'
import { FOLDERS, GROUPS } from './boundaries.ts'
import { circlesOf, type Imports } from './circles.ts'

// Which folder may import which, and which code has to be in one place. ARCHITECTURE.md says the same in prose.

/** Code that may be in one place only, so that a reader finds it there. */
const HOMES: { word: RegExp; home: RegExp; why: string }[] = [
  {
    word: /\bprocess\.env\b/,
    home: /^(platform\/config\/environment|http\/docs\/samples)\.ts$/,
    why: 'only the config reads the environment (and a printed sample)',
  },
  { word: /from '(undici|node:(net|tls|https|dgram|http2))'/, home: /^platform\/net\//, why: 'only net opens sockets' },
  { word: /(?<![.\w])fetch\(/, home: /^platform\/net\//, why: 'only net opens sockets' },
  {
    word: /from '(pg|node:sqlite)'|\b(SELECT|INSERT INTO|UPDATE|DELETE FROM)\s+\w+/,
    home: /^(platform\/store|cli\/import\/litellm\/database)\//,
    why: 'SQL lives in the store, and SQL for the database of another gateway where it is imported',
  },
  {
    word: /from 'fastify'/,
    home: /^(http\/|server\/gateway\.ts$|cli\/serve\.ts$)/,
    why: 'only http knows the web framework',
  },
  {
    word: /\b(86_400|3_600_000|1024 \* 1024)/,
    home: /^(base\/units\/|platform\/store\/migrations\/|http\/openapi\/examples\.ts$)/,
    why: 'base/units says how long a day or an hour is, and how large a megabyte',
  },
  {
    word: /\beval\(|new Function\(|from 'node:(vm|child_process)'/,
    home: /^(?!)/,
    why: 'nothing runs code or programs from data',
  },
  {
    word: /\bnew Order\(/,
    home: /^calls\/(spending|order|upstream\/cached-content)\.ts$/,
    why: 'only the spending of a call orders and pays (and a block of content, which outlives its call)',
  },
  {
    word: /\bcloseCall\(/,
    home: /^calls\/(close-call|attempts\/run-call)\.ts$/,
    why: 'every call is closed in one place, where its ledger line is written',
  },
  { word: /\bas never\b/, home: /^(?!)/, why: 'a cast to never hides what is really passed' },
  {
    word: /(^|[{,])\s*\.\.\.\{/m,
    home: /^(?!)/,
    why: 'a literal spread into another hides misspelt members from the compiler',
  },
]

/** Groups that get their clock and their randomness from their callers. */
const WITHOUT_CLOCK = ['base', 'contract', 'translation', 'tenants', 'money', 'calls', 'endpoints']
/** Programs that ask for the time, and names for requests to a provider and for objects that one or a blob store keeps. */
const WITH_CLOCK =
  /^(translation\/(engines\/|tasks\/(http\/staging|collections\/sandbox|video\/generation_async\/pixverse)\.ts)|calls\/contents\/)/

const SRC = join(import.meta.dirname, '..', 'src')
const files = globSync('**/*.ts', { cwd: SRC })
  .filter((file) => !file.endsWith('.test.ts') && !file.includes('/fixtures/'))
  .map((path) => ({ path, text: readFileSync(join(SRC, path), 'utf8') }))
  .map((file) => ({ ...file, imports: importsOf(file) }))

test('there are files to look at', () => assert.ok(files.length > 500))

test('a group imports only the groups below it', () => {
  assert.deepEqual([...new Set(files.map(({ path }) => folderAt(0, path)))].sort(), GROUPS.toSorted())
  const isAbove = (path: string, other: string) =>
    GROUPS.indexOf(folderAt(0, other)) > GROUPS.indexOf(folderAt(0, path))
  assert.deepEqual(arrows(isAbove), [])
})

test('a folder of a group imports only the folders beside it that it may import', () => {
  const isForbidden = (path: string, other: string) => {
    const [group, folder, target] = [folderAt(0, path), folderAt(1, path), folderAt(1, other)]
    const allowed = FOLDERS[group]?.[folder]?.split(' ') ?? []
    return group === folderAt(0, other) && folder !== target && !allowed.includes(target)
  }
  assert.deepEqual(arrows(isForbidden), [])
})

test('every folder of a group has an entry, and no entry is without its folder', () => {
  const real = new Set(files.map(({ path }) => `${folderAt(0, path)}/${folderAt(1, path)}`))
  const named = Object.entries(FOLDERS).flatMap(([group, folders]) =>
    Object.keys(folders).map((name) => `${group}/${name}`),
  )
  assert.deepEqual(named.sort(), [...real].sort())
})

test('folders beside each other do not form a circle, at any depth', () => {
  const parents = new Set(
    files.flatMap(({ path }) =>
      path
        .split('/')
        .slice(0, -1)
        .map((_, at, all) => all.slice(0, at).join('/')),
    ),
  )
  assert.ok(parents.size > 20)
  assert.deepEqual(
    [...parents].flatMap((parent) => circlesOf(foldersIn(parent)).map((circle) => `${parent}: ${circle}`)),
    [],
  )
})

test('files do not form a circle', () => {
  assert.deepEqual(circlesOf(new Map(files.map(({ path, imports }) => [path, imports]))), [])
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
    .filter(({ path }) => WITHOUT_CLOCK.includes(folderAt(0, path)) && !WITH_CLOCK.test(path))
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

function arrows(isWrong: (path: string, target: string) => boolean): string[] {
  return files.flatMap(({ path, imports }) =>
    imports.filter((target) => isWrong(path, target)).map((target) => `${path} → ${target}`),
  )
}

/** Which folder inside of the parent imports which other; files of the parent itself are no folder. */
function foldersIn(parent: string): Imports {
  const depth = parent === '' ? 0 : parent.split('/').length
  const isInside = (path: string) => depth === 0 || path.startsWith(`${parent}/`)
  const found = new Map<string, string[]>()
  for (const { path, imports } of files.filter(({ path }) => isInside(path) && folderAt(depth, path) !== '.')) {
    const folder = folderAt(depth, path)
    const targets = imports.filter(isInside).map((target) => folderAt(depth, target))
    found.set(folder, [
      ...(found.get(folder) ?? []),
      ...targets.filter((target) => target !== folder && target !== '.'),
    ])
  }
  return found
}

/** The folder of a path at a depth: 0 is the group. `.` stands for a file at that depth. */
function folderAt(depth: number, path: string): string {
  const parts = path.split('/')
  return parts.length > depth + 1 ? parts[depth]! : '.'
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
