import assert from 'node:assert/strict'
import { test } from 'node:test'
import { paintFor } from './paint.ts'
import { prettyLine } from './pretty-line.ts'

const plain = paintFor({})
const time = new Date(2026, 10, 16, 9, 5, 7).toISOString()

function shown(fields: object): string {
  return prettyLine(`${JSON.stringify({ level: 'info', time, ...fields })}\n`, plain)
}

test('a request is one line: time, method and path, model, status, duration, tokens, cost', () => {
  const chat = { request_id: 'req_1', endpoint: 'POST /v3/chat/completions', status: 200, duration_ms: 412.34 }
  const usage = { attempts: 1, prompt_tokens: 1234, completion_tokens: 12 }
  const answered = { ...chat, ...usage, model: 'openai/gpt-4o-mini', cost: 0.00000855 }
  const rows: [object, string][] = [
    [answered, 'POST /v3/chat/completions  openai/gpt-4o-mini  200  412 ms  1,234 → 12 tokens  $0.00000855'],
    [
      { ...answered, requested_model: 'fast', attempts: 2, cost: null, estimated: true, duration_ms: 61_049 },
      'POST /v3/chat/completions  fast → openai/gpt-4o-mini (2 attempts)  200  61.0 s  about 1,234 → 12 tokens  cost unknown',
    ],
    [{ ...chat, cost: 0, requested_model: 'x', model: null, status: 404, code: 'model_not_found' }, ''],
    [{ ...chat, endpoint: 'GET /v3/models', duration_ms: 0.4 }, 'GET /v3/models  200  0 ms'],
    [
      { ...chat, endpoint: 'unknown', method: 'GET', path: '/v3/nothing?***', status: 404, code: 'not_found' },
      'GET /v3/nothing?***  404 not_found  412 ms',
    ],
    [
      { ...answered, cost: 12.345 },
      'POST /v3/chat/completions  openai/gpt-4o-mini  200  412 ms  1,234 → 12 tokens  $12.3',
    ],
  ]
  for (const [fields, text] of rows.filter(([, text]) => text)) assert.equal(shown(fields), `09:05:07 ${text}\n`)
  assert.equal(shown(rows[2]![0]), '09:05:07 POST /v3/chat/completions  x  404 model_not_found  412 ms  $0\n')
})

test('every other line has its level, its message and its fields; an error has its stack', () => {
  assert.equal(shown({ msg: 'listening', store: 'sqlite', n: [1] }), '09:05:07 info  listening store=sqlite n=[1]\n')
  const err = { type: 'Error', message: 'no', stack: 'Error: no\n    at one\n    at two' }
  assert.equal(shown({ level: 'error', msg: 'bad', err }), '09:05:07 error bad\n  Error: no\n  at one\n  at two\n')
  assert.equal(prettyLine('not JSON\n', plain), 'not JSON\n')
  assert.equal(prettyLine('{"time":"never","msg":"x"}\n', plain), '--:--:--       x\n')
})

test('nothing that a caller sends controls the terminal', () => {
  const evil = '\u001b[2J\u001b]0;owned\u0007\r\n\u202e\u200b\u0090\u2028\ud800'
  const request = { request_id: 'r', endpoint: 'unknown', method: 'GET', path: evil, status: 404, duration_ms: 1 }
  for (const fields of [
    { ...request, requested_model: evil, model: evil, code: evil },
    { msg: evil, [evil]: evil, list: [evil], err: { stack: evil } },
    { msg: 'x', err: evil },
  ]) {
    const text = shown(fields)
    assert.doesNotMatch(text.replaceAll('\n', ''), /[\p{Cc}\p{Cf}\p{Zl}\p{Cs}]/u)
    assert.ok(text.includes('\\u{1b}[2J'))
  }
  assert.ok(!prettyLine(`${evil}\n`, plain).includes('\u001b'))
})

test('colours are for terminals that have them', () => {
  const line = `${JSON.stringify({ level: 'error', time, msg: 'bad' })}\n`
  const coloured = prettyLine(line, paintFor({ isTTY: true, hasColors: () => true }))
  assert.ok(coloured.includes('\u001b[31merror\u001b['))
  for (const output of [{ isTTY: true, hasColors: () => false }, { isTTY: false, hasColors: () => true }, {}])
    assert.equal(prettyLine(line, paintFor(output)), '09:05:07 error bad\n')
})
