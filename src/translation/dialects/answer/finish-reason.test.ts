import assert from 'node:assert/strict'
import { test } from 'node:test'
import { UpstreamProblem } from '../../wire/upstream-problem.ts'
import { endingOf } from './finish-reason.ts'
import { ENDS } from './reason-words.ts'

const HOSTILE = JSON.parse('{"toString":1,"valueOf":1}')

test('an object as the reason for the end is read without surprise', () => {
  assert.equal(endingOf(HOSTILE).finish_reason, 'length')
})

test('every word of the table means the same in capitals, with hyphens, in one word, and with the prefix of an enumeration', () => {
  for (const [end, words] of Object.entries(ENDS)) {
    const expected = end === 'unsaid' ? null : end === 'unfinished' ? 'length' : end
    for (const word of words.filter((one) => one !== ''))
      for (const form of formsOf(word)) assert.equal(endingOf(form).finish_reason, expected, form)
  }
  for (const nothing of [null, undefined, '', false]) assert.deepEqual(endingOf(nothing), { finish_reason: null })
})

function formsOf(word: string): string[] {
  const camel = word.replace(/_(\w)/g, (_, letter: string) => letter.toUpperCase())
  return [word, word.toUpperCase(), word.replaceAll('_', '-'), camel, `FINISH_REASON_${word.toUpperCase()}`]
}

const FAILED: Record<string, string[]> = {
  overloaded: [
    'overloaded',
    'overloaded_error',
    'unavailable',
    'preempted',
    'insufficient_system_resource',
    'SERVER_BUSY',
  ],
  rate_limited: ['rate_limit', 'rate_limit_exceeded', 'rateLimited', 'throttled', 'RESOURCE_EXHAUSTED'],
  timeout: ['timeout', 'TIMED_OUT', 'deadline_exceeded'],
  server_error: ['error', 'internal_error', 'ERROR_LIMIT', 'aborted', 'cancelled', 'USER_CANCEL', 'malformed_tool_use'],
  auth: ['insufficient_quota'],
}
test('a word for a failure is an error of its kind', () => {
  for (const [kind, words] of Object.entries(FAILED))
    for (const word of words)
      assert.throws(
        () => endingOf(word),
        (error) => error instanceof UpstreamProblem && error.kind === kind && error.message.includes(word),
        word,
      )
})

test('a word that is not known is never a proper end, and is passed on, but not at any length', () => {
  for (const word of ['wibble', 'OTHER', 'unknown', 'stop_or_not', 'toString', '__proto__', '5'])
    assert.deepEqual({ ...endingOf(word) }, { ...endingOf(word), finish_reason: 'length', native_finish_reason: word })
  assert.equal(endingOf('x'.repeat(1_000_000)).native_finish_reason?.length, 100)
})
