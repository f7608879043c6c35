import assert from 'node:assert/strict'
import { test } from 'node:test'
import { isTimezone } from '../../platform/config/spend-limits/limit-entry.ts'
import { spanAt } from './windows.ts'
import { HOUR_MS } from '../../base/units/units.ts'

function span(window: Parameters<typeof spanAt>[0], timezone: string, at: string) {
  const { start, end } = spanAt(window, timezone, Date.parse(at))
  return [new Date(start).toISOString(), new Date(end).toISOString()]
}

test('a month begins and ends at midnight of its time zone', () => {
  assert.deepEqual(span('month', 'UTC', '2026-11-30T23:59:59.999Z'), [
    '2026-11-01T00:00:00.000Z',
    '2026-12-01T00:00:00.000Z',
  ])
  assert.deepEqual(span('month', 'Europe/Paris', '2026-11-30T23:00:00.000Z'), [
    '2026-11-30T23:00:00.000Z',
    '2026-12-31T23:00:00.000Z',
  ])
  assert.deepEqual(span('month', 'Asia/Kolkata', '2026-12-31T18:30:00.000Z')[0], '2026-12-31T18:30:00.000Z')
})

test('leap days belong to February', () => {
  assert.deepEqual(span('month', 'UTC', '2028-02-29T12:00:00Z'), [
    '2028-02-01T00:00:00.000Z',
    '2028-03-01T00:00:00.000Z',
  ])
  assert.deepEqual(span('day', 'UTC', '2028-02-29T23:59:59Z'), ['2028-02-29T00:00:00.000Z', '2028-03-01T00:00:00.000Z'])
  assert.deepEqual(span('month', 'UTC', '2026-02-28T23:59:59Z')[1], '2026-03-01T00:00:00.000Z')
})

test('days in which Paris changes its clocks have 23 and 25 hours, and months the right length', () => {
  const spring = spanAt('day', 'Europe/Paris', Date.parse('2026-03-29T12:00:00Z'))
  const autumn = spanAt('day', 'Europe/Paris', Date.parse('2026-10-25T12:00:00Z'))
  assert.equal(spring.end - spring.start, 23 * HOUR_MS)
  assert.equal(autumn.end - autumn.start, 25 * HOUR_MS)
  assert.deepEqual(span('month', 'Europe/Paris', '2026-03-29T12:00:00Z'), [
    '2026-02-28T23:00:00.000Z',
    '2026-03-31T22:00:00.000Z',
  ])
  assert.deepEqual(span('hour', 'Europe/Paris', '2026-10-25T01:30:00Z'), [
    '2026-10-25T01:00:00.000Z',
    '2026-10-25T02:00:00.000Z',
  ])
})

test('a day without a midnight begins with its first moment', () => {
  // Clocks in Beirut were put forward from 00:00 to 01:00.
  assert.deepEqual(span('day', 'Asia/Beirut', '2022-03-27T10:00:00Z'), [
    '2022-03-26T22:00:00.000Z',
    '2022-03-27T21:00:00.000Z',
  ])
})

test('weeks begin on Monday', () => {
  assert.deepEqual(span('week', 'UTC', '2026-11-15T23:59:59Z'), [
    '2026-11-09T00:00:00.000Z',
    '2026-11-16T00:00:00.000Z',
  ])
  assert.deepEqual(span('week', 'UTC', '2026-11-16T00:00:00Z')[0], '2026-11-16T00:00:00.000Z')
})

test('windows of a zone follow each other without a gap and without an overlap', () => {
  for (const zone of ['Europe/Paris', 'America/Sao_Paulo', 'Asia/Beirut', 'Australia/Lord_Howe', 'Pacific/Apia'])
    for (const window of ['day', 'week', 'month'] as const) {
      let at = Date.parse('2011-12-01T00:00:00Z')
      for (let count = 0; count < 40; count++) {
        const one = spanAt(window, zone, at)
        assert.ok(one.start <= at && at < one.end, `${zone} ${window} ${new Date(at).toISOString()}`)
        assert.deepEqual(spanAt(window, zone, one.end - 1), one)
        assert.equal(spanAt(window, zone, one.end).start, one.end)
        at = one.end
      }
    }
})

test('hours of zones with half an hour begin where their clocks show the full hour', () => {
  assert.equal(span('hour', 'Asia/Kolkata', '2026-11-16T10:45:00Z')[0], '2026-11-16T10:30:00.000Z')
})

test('a total has no end, and a name that is no zone is recognized', () => {
  assert.equal(spanAt('total', 'UTC', 5).end, Number.POSITIVE_INFINITY)
  assert.ok(isTimezone('Europe/Paris') && !isTimezone('Europe/Pariss'))
})
