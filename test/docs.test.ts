import assert from 'node:assert/strict'
import { existsSync, globSync, readdirSync, readFileSync } from 'node:fs'
import { dirname, join, relative } from 'node:path'
import { test } from 'node:test'
import { guidePages } from '../docs/guides.ts'
import { brokenLinks } from '../docs/site/links.ts'
import { coverageTable } from '../docs/litellm-coverage.ts'
import { PAGES } from '../docs/pages.ts'
import { tasksPage } from '../docs/tasks-page.ts'
import { loadCatalog } from '../src/platform/catalog/catalog.ts'
import { SETTINGS } from '../src/platform/config/settings.ts'
import { PROBLEMS } from '../src/contract/problems.ts'
import { FAILURES } from '../src/calls/attempts/failures.ts'
import { providersOf } from '../src/translation/tasks/adapters.ts'
import { FEATURES } from '../src/translation/tasks/index.ts'
import { PROVIDERS } from '../src/platform/providers/providers.ts'

const ROOT = join(import.meta.dirname, '..')
const DOCUMENTS = [
  'README.md',
  'SECURITY.md',
  'CONTRIBUTING.md',
  'CHANGELOG.md',
  'ARCHITECTURE.md',
  'bench/README.md',
].concat(
  readdirSync(join(ROOT, 'docs'))
    .filter((name) => name.endsWith('.md'))
    .map((name) => `docs/${name}`),
)

test('every generated page is what the code says today', async () => {
  for (const [name, page] of Object.entries(PAGES)) {
    const isCurrent = (await page()) === read(`docs/${name}`)
    assert.ok(isCurrent, `docs/${name} is stale: run npm run docs`)
  }
})

test('docs/failures.md has every failure and every error code, docs/settings.md every setting and provider', () => {
  const [failures, settings] = [read('docs/failures.md'), read('docs/settings.md')]
  for (const name of [...Object.keys(FAILURES), ...Object.keys(PROBLEMS)])
    assert.ok(failures.includes(`| \`${name}\` |`), name)
  for (const { env } of Object.values(SETTINGS)) assert.ok(settings.includes(`| \`${env}\` |`), env)
  for (const [id, { auth }] of Object.entries(PROVIDERS)) {
    assert.equal(settings.includes(`| \`${id}\` | \`${auth.env}\` |`), auth.scheme !== 'none', id)
  }
})

test('no cell of a table that a reader sees first is longer than 120 characters', () => {
  for (const page of ['README.md', 'docs/guide.md', 'docs/settings.md', 'docs/failures.md', 'docs/tokens.md']) {
    const cells = read(page)
      .split('\n')
      .filter((line) => line.startsWith('|'))
      .flatMap((line) => line.split(/(?<!\\)\|/))
    assert.ok(cells.length > 10, page)
    for (const cell of cells) assert.ok(cell.trim().length <= 120, `${page}: ${cell}`)
  }
})

test('every link of a document leads to a file, and every promise of the README to a test', () => {
  for (const page of DOCUMENTS) {
    const links = Array.from(read(page).matchAll(/\]\(([^)#:\s]+)(?:#[^)\s]*)?\)/g), ([, link]) => link!)
    for (const link of links) assert.ok(existsSync(join(ROOT, dirname(page), link)), `${page} links to ${link}`)
  }
  const promises = section(read('README.md'), '## Why Gatehouse')
    .split('\n')
    .filter((line) => /^\| [A-Z]/.test(line))
  assert.equal(promises.length, 6)
  for (const line of promises) assert.match(line, /\]\((?:src|test)\/[^)]+\.test\.ts\) \|$/)
})

test('the index lists every page of docs/, and every heading that a link names is there', async () => {
  const pages = await guidePages()
  const files = readdirSync(join(ROOT, 'docs')).filter((name) => name.endsWith('.md') && name !== 'README.md')
  const listed = pages.map(({ id }) => `${id}.md`).filter((name) => files.includes(name))
  assert.deepEqual(listed.toSorted(), files.toSorted())
  assert.deepEqual(await brokenLinks(), [])
})

test('the coverage of imports in docs/migration.md is what an import does today', () => {
  assert.ok(read('docs/migration.md').includes(coverageTable()))
})

test('every version of the changelog has a date, and fits on a page', () => {
  const [head, ...versions] = read('CHANGELOG.md').split(/^## /m)
  assert.equal(head, '# Changelog\n\n')
  for (const version of versions) {
    assert.match(version.split('\n')[0]!, /^\d+\.\d+\.\d+ \(\d{4}-\d{2}-\d{2}\)$/)
    assert.ok(version.split(/\s+/).length < 700)
  }
  const { version } = JSON.parse(read('package.json')) as { version: string }
  assert.ok(versions[0]?.startsWith(`${version} (`), 'the newest version is that of package.json')
})

test('what ARCHITECTURE.md and docs/internals.md say about a file or a folder of src is about one that exists', () => {
  for (const page of ['ARCHITECTURE.md', 'docs/internals.md']) {
    // `lib/` is written by pack/write-lib.ts.
    const named = [...read(page).matchAll(/`((?:[\w-]+\/)+(?:[\w.-]+\.(?:ts|json))?)`/g)]
      .map(([, path]) => path!)
      .filter((path) => path !== 'lib/')
    assert.ok(named.length > 20)
    const isHere = (path: string) => ['.', 'src'].some((root) => existsSync(join(ROOT, root, path)))
    // A name without its folder stands after one with it: `jobs/worker.ts` … `run-job.ts`; so does a folder inside of another.
    const isInside = (path: string) => globSync(`{src,console}/**/${path}`, { cwd: ROOT }).length > 0
    assert.deepEqual(
      named.filter((path) => !isHere(path) && !(path.split('/').length === 2 && path.endsWith('/') && isInside(path))),
      [],
      page,
    )
  }
})

test('every task has its section, its link and all its providers', async () => {
  const page = await tasksPage()
  for (const task of FEATURES) {
    const name = `${task.feature}/${task.subfeature}`
    assert.equal(page.split(`### ${name}\n`).length, 2, name)
    assert.ok(page.includes(`[${name}](#${task.feature}${task.subfeature})`), name)
    for (const provider of providersOf(task))
      assert.ok(page.includes(`| \`${name}/${provider}\``), `${name}/${provider}`)
  }
})

/** The README says "more than", so that a new model or provider does not change it. */
test('there is as much as the README says', () => {
  const adapters = FEATURES.flatMap(providersOf).filter((provider) => provider !== 'sandbox')
  const counts = {
    'providers,': Object.values(PROVIDERS).filter(({ dialect }) => dialect !== undefined).length,
    models: loadCatalog(PROVIDERS).list().length,
    tasks: FEATURES.length,
    adapters: adapters.length,
    'providers.': new Set(adapters).size,
  }
  for (const [what, count] of Object.entries(counts)) {
    const stated = new RegExp(`more than ([\\d,]+) ${what.replace('.', '\\.')}`).exec(read('README.md'))?.[1]
    assert.ok(count > Number(stated?.replace(',', '')), `${what}: ${stated} in the README, ${count} in the code`)
  }
})

test('every promise of SECURITY.md names tests that exist', () => {
  const page = readFileSync(join(ROOT, 'SECURITY.md'), 'utf8')
  const promises = page.slice(page.indexOf('## What is promised'), page.indexOf('## What was tested'))
  const lines = promises.split('\n').filter((line) => line.startsWith('- ') && !line.includes('<!-- pending'))
  assert.ok(lines.length > 15)
  for (const line of lines) {
    const files = Array.from(line.matchAll(/`((?:src|test)\/[^`]+\.test\.ts)`/g), ([, file]) => file!)
    assert.ok(files.length > 0, line)
    for (const file of files) assert.ok(existsSync(join(ROOT, file)), `${file} does not exist: ${line}`)
  }
})

const TEXTS = [
  'src',
  'console',
  'docs',
  'test',
  'deploy',
  'bench',
  'pack',
  'README.md',
  'SECURITY.md',
  'CONTRIBUTING.md',
]
const UNNAMED = /\b(?:whoever|nobody|somebody)\b/i
/** Word lists, a sentence that is spoken, and the system user `nobody`. */
const MAY_HAVE_UNNAMED = [
  'src/translation/engines/text/sentiment-words.ts',
  'src/translation/engines/text/stop-words.ts',
  'src/translation/tasks/vendors/local/local-speech.test.ts',
  'test/docs.test.ts',
  'test/fakes/postgres.ts',
]

test('texts name who acts: the caller, a person, an operator, a process, a provider', () => {
  const files = TEXTS.flatMap(filesIn).filter((name) => /\.(?:tsx?|mjs|md|ya?ml|py|go|sh|java|rs|css)$/.test(name))
  assert.ok(files.length > 3_000)
  const found = files.filter((name) => UNNAMED.test(read(name)))
  assert.deepEqual(found.toSorted(), MAY_HAVE_UNNAMED)
})

function filesIn(name: string): string[] {
  if (name.includes('.')) return [name]
  const entries = readdirSync(join(ROOT, name), { withFileTypes: true, recursive: true })
  return entries
    .filter((entry) => entry.isFile() && !entry.parentPath.includes('node_modules'))
    .map(({ parentPath, name: file }) => relative(ROOT, join(parentPath, file)))
}

function read(name: string): string {
  return readFileSync(join(ROOT, name), 'utf8')
}

/** The part of a document below a heading, up to the next heading of the same level. */
function section(text: string, heading: string): string {
  return text.slice(text.indexOf(`${heading}\n`) + heading.length).split(/^## /m)[0]!
}
