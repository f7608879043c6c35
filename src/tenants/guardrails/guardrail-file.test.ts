import assert from 'node:assert/strict'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, test } from 'node:test'
import pino from 'pino'
import { ANY_CALLER } from '../../../test/fakes/any-caller.ts'
import { refusalOf } from '../../http/auth.ts'
import { GuardrailFile } from './guardrail-file.ts'
import { GuardrailTable } from './guardrail-table.ts'

const log = pino({ enabled: false })
let folder: string
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'guardrails-'))
})
afterEach(() => rmSync(folder, { recursive: true }))

test('guardrails of the store are known to the next process; a damaged file says nothing', () => {
  const path = join(folder, 'new', 'guardrails.json')
  assert.equal(new GuardrailFile(path, log).read(), undefined)
  const kept = { id: 'pii', holder: 'key', holderId: 'key_1', settings: '{}' }
  new GuardrailFile(path, log).keep([kept])
  assert.deepEqual(new GuardrailFile(path, log).read(), [kept])
  for (const damaged of ['[{"id":"pii"', '{}', '[{"id":1}]', '[{"id":"pii","settings":"{}"}]', '']) {
    writeFileSync(path, damaged)
    assert.equal(new GuardrailFile(path, log).read(), undefined, damaged)
  }
})

test('no call is answered until the guardrails of the store are known', () => {
  const guardrails = new GuardrailTable()
  guardrails.replace([], undefined)
  assert.equal(refusalOf(ANY_CALLER, { scope: 'chat' }, { guardrails })?.status, 503)
  guardrails.replace([], { guardrails: [], unreadable: [] })
  assert.equal(refusalOf(ANY_CALLER, { scope: 'chat' }, { guardrails }), undefined)
})
