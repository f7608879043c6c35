import assert from 'node:assert/strict'
import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { governedPage } from '../docs/governed-page.ts'
import { tasksPage } from '../docs/tasks-page.ts'
import { loadCatalog } from '../src/catalog/catalog.ts'
import { providersOf } from '../src/features/adapters.ts'
import { FEATURES } from '../src/features/index.ts'
import { PROVIDERS } from '../src/providers/providers.ts'

const ROOT = join(import.meta.dirname, '..')
const PAGE = join(ROOT, 'docs', 'tasks.md')

test('docs/tasks.md is what the contracts say today', async () => {
  assert.ok((await tasksPage()) === readFileSync(PAGE, 'utf8'), 'docs/tasks.md is stale: run npm run docs')
})

test('docs/governed-fields.md is what the tables say today', () => {
  const page = readFileSync(join(ROOT, 'docs', 'governed-fields.md'), 'utf8')
  assert.ok(governedPage() === page, 'docs/governed-fields.md is stale: run npm run docs')
})

test('every task has its section, its link and all its providers', () => {
  const page = readFileSync(PAGE, 'utf8')
  for (const task of FEATURES) {
    const name = `${task.feature}/${task.subfeature}`
    assert.equal(page.split(`### ${name}\n`).length, 2, name)
    assert.ok(page.includes(`[${name}](#${task.feature}${task.subfeature})`), name)
    for (const provider of providersOf(task))
      assert.ok(page.includes(`| \`${name}/${provider}\``), `${name}/${provider}`)
  }
})

test('what README and CHANGELOG count is there', () => {
  const [readme, changelog] = ['README.md', 'CHANGELOG.md'].map((name) => readFileSync(join(ROOT, name), 'utf8'))
  const rows = Object.values(PROVIDERS)
  const adapters = FEATURES.flatMap(providersOf).filter((provider) => provider !== 'sandbox')
  const models = `${loadCatalog(PROVIDERS).list().length.toLocaleString('en')} models`
  const chats = rows.filter(({ dialect }) => dialect !== undefined).length
  const providers = new Set(adapters).size
  const counted = [
    `; ${chats} providers`,
    models,
    `[${FEATURES.length} tasks]`,
    `${adapters.length} adapters of ${providers}`,
  ]
  for (const words of counted) assert.ok(readme!.includes(words), `README.md does not say ${words}`)
  const listed = [`${rows.length} provider`, `${chats} of them with chat`, models, `${adapters.length} adapters`]
  for (const words of listed) assert.ok(changelog!.includes(words), `CHANGELOG.md does not say ${words}`)
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
