import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { tasksPage } from '../docs/tasks-page.ts'
import { providersOf } from '../src/features/adapters.ts'
import { FEATURES } from '../src/features/index.ts'

const PAGE = join(import.meta.dirname, '..', 'docs', 'tasks.md')

test('docs/tasks.md is what the contracts say today', async () => {
  assert.ok((await tasksPage()) === readFileSync(PAGE, 'utf8'), 'docs/tasks.md is stale: run npm run docs')
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
