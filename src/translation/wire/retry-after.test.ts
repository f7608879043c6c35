import assert from 'node:assert/strict'
import { test } from 'node:test'
import { readRetryAfter } from './retry-after.ts'
import { DAY_SECONDS } from '../../base/units/units.ts'

const NOW = Date.parse('2026-11-18T12:00:00Z')

function after(headers: Record<string, string | string[]>, status = 429): number | undefined {
  return readRetryAfter({ status, headers }, NOW)
}

test('Retry-After is read in seconds and as a date in each of the three forms of HTTP', () => {
  for (const [text, seconds] of [
    ['0', 0],
    ['7', 7],
    [' 7 ', 7],
    ['0.5', 0.5],
    ['Wed, 18 Nov 2026 12:00:20 GMT', 20],
    ['Wednesday, 18-Nov-26 12:00:20 GMT', 20],
    ['Wed Nov 18 12:00:20 2026', 20],
    ['Thu Dec  3 12:00:00 2026', DAY_SECONDS],
    ['2026-11-18T12:00:20Z', 20],
    ['2026-11-18T13:00:20.500+01:00', 20.5],
    [String(NOW / 1_000 + 20), 20],
    [String(NOW + 20_500), 20.5],
    ['1m20s', 80],
    ['20ms', 0.02],
  ] as const)
    assert.equal(after({ 'retry-after': text }), seconds, text)
})

test('a date in the past is no wait', () => {
  for (const text of [
    'Wed, 18 Nov 2026 11:59:59 GMT',
    'Wednesday, 18-Nov-26 11:59:59 GMT',
    'Sunday, 06-Nov-94 08:49:37 GMT',
    'Sun Nov  6 08:49:37 1994',
    '1700000000',
  ])
    assert.equal(after({ 'retry-after': text }), 0, text)
})

test('an absurd wait is a day', () => {
  for (const text of [
    '86401',
    '999999999',
    '999999999999999',
    'Fri, 31 Dec 9999 23:59:59 GMT',
    '999999h',
    '9999-12-31T23:59:59Z',
  ])
    assert.equal(after({ 'retry-after': text }), DAY_SECONDS, text)
  assert.equal(after({ 'retry-after-ms': '999999999999999' }), DAY_SECONDS)
})

test('what cannot be read is not guessed', () => {
  for (const text of ['', 'soon', '-1', '+1', '1e3', '0x10', 'NaN', 'Infinity', '7 8', 'Wed, 18 Foo 2026 12:00:20 GMT'])
    assert.equal(after({ 'retry-after': text }), undefined, text)
  for (const text of [
    'Wed, 32 Nov 2026 12:00:20 GMT',
    'Wed, 18 Nov 2026 25:00:20 GMT',
    'Wed, 18 Nov 2026 12:00:20 CET',
  ])
    assert.equal(after({ 'retry-after': text }), undefined, text)
})

test('milliseconds come before seconds, and seconds before the limits', () => {
  const limits = { 'x-ratelimit-reset-requests': '40s' }
  assert.equal(after({ 'retry-after-ms': '1500', 'retry-after': '9', ...limits }), 1.5)
  assert.equal(after({ 'retry-after-ms': 'x', 'retry-after': '9', ...limits }), 9)
  assert.equal(after({ 'retry-after': ['x', '9', '10'], ...limits }), 9)
  assert.equal(after({ 'retry-after': 'x', ...limits }), 40)
})

test('a limit that is used up is waited for, and one that is not is none', () => {
  const openai = {
    'x-ratelimit-remaining-requests': '0',
    'x-ratelimit-reset-requests': '8.64s',
    'x-ratelimit-remaining-tokens': '14000',
    'x-ratelimit-reset-tokens': '6m0s',
  }
  assert.equal(after(openai), 8.64)
  assert.equal(after({ ...openai, 'x-ratelimit-remaining-tokens': '0' }), 360)
  assert.equal(after({ ...openai, 'x-ratelimit-remaining-requests': '3' }), undefined)
  assert.equal(after(openai, 500), undefined)
  assert.equal(
    after({
      'anthropic-ratelimit-input-tokens-remaining': '0',
      'anthropic-ratelimit-input-tokens-reset': '2026-11-18T12:00:30Z',
      'anthropic-ratelimit-requests-remaining': '4',
      'anthropic-ratelimit-requests-reset': '2026-11-18T12:10:00Z',
    }),
    30,
  )
  assert.equal(after({ 'x-ratelimit-reset': String(NOW + 12_000) }), 12)
  assert.equal(after({ 'ratelimit-reset': '12' }), 12)
  assert.equal(after({ 'x-ratelimit-reset': '12', 'x-ratelimit-remaining': '5' }), undefined)
})
