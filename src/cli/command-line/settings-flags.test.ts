import assert from 'node:assert/strict'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, test } from 'node:test'
import { environmentOf } from './settings-flags.ts'

const folder = mkdtempSync(join(tmpdir(), 'gatehouse-env-'))
const file = join(folder, 'env')
after(() => rmSync(folder, { recursive: true }))

test('flags win over variables, and variables over the lines of a file', () => {
  writeFileSync(
    file,
    '# comment\n\nexport HOST="file"\nPORT=1 # here\nADMIN_PORT = 2\nTEXT="two\nlines"\nLATER=\'x\'\n',
  )
  const environment: Record<string, string | undefined> = { PORT: '3', HOST: 'variable' }
  const flags = { 'env-file': [file], host: 'flag', 'data-dir': 'd', config: 'c.yaml', role: 'api' }
  const merged = environmentOf('serve', flags, environment)
  assert.deepEqual(
    { ...merged },
    {
      HOST: 'flag',
      PORT: '3',
      ADMIN_PORT: '2',
      TEXT: 'two\nlines',
      LATER: 'x',
      DATA_DIR: 'd',
      GATEHOUSE_CONFIG: 'c.yaml',
    },
  )
  // Processes that are started later inherit the lines of the file, and read the flags themselves.
  assert.deepEqual([environment.ADMIN_PORT, environment.HOST], ['2', 'variable'])
})

test('of several files, a later one wins over an earlier one, and no line wins over a variable', () => {
  const [first, second] = [join(folder, 'first'), join(folder, 'second')]
  writeFileSync(first, 'BOTH=first\nONLY_FIRST=1\nSET=first\n')
  writeFileSync(second, 'BOTH=second\nONLY_SECOND=2\nSET=second\n')
  const merged = (files: string[]) => ({ ...environmentOf('serve', { 'env-file': files }, { SET: 'variable' }) })
  const others = { ONLY_FIRST: '1', ONLY_SECOND: '2', SET: 'variable' }
  assert.deepEqual(merged([first, second]), { ...others, BOTH: 'second' })
  assert.deepEqual(merged([second, first]), { ...others, BOTH: 'first' })
})

test('a line that is no assignment is refused with its number, and not repeated', () => {
  for (const [text, line] of [
    ['PORT=1\nOPENAI_API_KEY canary', 2],
    ['canary', 1],
    ['A="one\ntwo"\n=canary', 3],
    ['1A=canary', 1],
  ] as const) {
    writeFileSync(file, text)
    assert.throws(
      () => environmentOf('serve', { 'env-file': [file] }, {}),
      (error) =>
        error instanceof Error &&
        error.message.includes(`line ${line} is neither NAME=value`) &&
        !/canary/.test(error.message),
      text,
    )
  }
})
