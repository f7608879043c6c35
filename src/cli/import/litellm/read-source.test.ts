import assert from 'node:assert/strict'
import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, test } from 'node:test'
import { ConfigError } from '../../../platform/config/config-error.ts'
import { readSource } from './read-source.ts'

const root = mkdtempSync(join(tmpdir(), 'gatehouse-source-'))
after(() => rmSync(root, { recursive: true }))
const folder = join(root, 'folder')
mkdirSync(folder)

function read(text: string) {
  const file = join(folder, 'config.yaml')
  writeFileSync(file, text)
  return readSource(file)
}

test('booleans and keys that are there twice are read as PyYAML reads them', () => {
  const { content, findings } = read(
    'a: yes\nb: off\nc: y\nd: "yes"\na: no\ne: { f: 1, f: 2 }\ng: &x { h: 1 }\ni: { <<: *x }\n',
  )
  assert.deepEqual(content, { a: false, b: false, c: 'y', d: 'yes', e: { f: 2 }, g: { h: 1 }, i: { h: 1 } })
  assert.deepEqual(
    findings.map(({ path, outcome }) => `${path} ${outcome}`),
    ['a approximate', 'e.f approximate'],
  )
})

test('included files are joined if they are in the folder, and not followed elsewhere', () => {
  writeFileSync(join(root, 'outside.yaml'), 'model_list: [{ model_name: SECRET }]\n')
  writeFileSync(
    join(folder, 'more.yaml'),
    'model_list: [{ model_name: b }]\nlitellm_settings: { x: 1 }\ninclude: [a]\n',
  )
  symlinkSync(join(root, 'outside.yaml'), join(folder, 'link.yaml'))
  const names = ['more.yaml', '../outside.yaml', 'link.yaml', join(root, 'outside.yaml'), 'missing.yaml']
  const { content, findings, files } = read(`include: ${JSON.stringify(names)}\nmodel_list: [{ model_name: a }]\n`)
  assert.deepEqual(content.model_list, [{ model_name: 'a' }, { model_name: 'b' }])
  assert.deepEqual(content.litellm_settings, { x: 1 })
  assert.deepEqual(
    findings.map(({ path, outcome }) => `${path} ${outcome}`),
    ['include[1] manual', 'include[2] manual', 'include[3] manual', 'include[4] manual'],
  )
  assert.deepEqual(files.slice(1), ['more.yaml'])
})

const TOO_MUCH: [string, string, RegExp][] = [
  ['many levels', '['.repeat(20_000), /config\.yaml: (has too many levels|is not valid YAML)/],
  ['closed levels', `a: ${'['.repeat(100)}${']'.repeat(100)}`, /too many/],
  ['many parts', `a: [${'"",'.repeat(190_000)}${'{},'.repeat(11_000)}]`, /too many parts/],
  ['many bytes', `# ${'x'.repeat(5_000_000)}`, /larger than/],
  ['aliases of aliases', laughs(), /stand for too much/],
  ['a value inside itself', 'a: &x { SECRET: [*x] }', /inside of what it stands for/],
  ['no mapping', '- a\n', /has no settings/],
  ['a mistake', 'a: "SECRET\nb: [', /is not valid YAML at line \d/],
]

for (const [what, text, message] of TOO_MUCH)
  test(`a file with ${what} is refused with a sentence that repeats nothing of it`, () => {
    assert.throws(
      () => read(text),
      (error: Error) =>
        error instanceof ConfigError && message.test(error.message) && !error.message.includes('SECRET'),
    )
  })

function laughs(): string {
  const lines = Array.from({ length: 12 }, (_, index) => `l${index + 1}: &l${index + 1} [${`*l${index},`.repeat(10)}]`)
  return `l0: &l0 ha\n${lines.join('\n')}\n`
}
