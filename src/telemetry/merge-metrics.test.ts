import assert from 'node:assert/strict'
import { test } from 'node:test'
import { mergeMetrics } from './merge-metrics.ts'
import { Metrics } from './metrics.ts'

test('two processes count as one', () => {
  const [one, two] = [new Metrics(), new Metrics()]
  one.requests.add(['GET /a b', '200'])
  two.requests.add(['GET /a b', '200'], 2)
  two.requests.add(['GET /a b', '404'])
  one.durations.observe(['x'], 0.02)
  two.durations.observe(['x'], 400)
  const merged = mergeMetrics([one.write(), two.write()])
  assert.match(merged, /gatehouse_requests_total\{endpoint="GET \/a b",status="200"\} 3\n/)
  assert.match(merged, /gatehouse_requests_total\{endpoint="GET \/a b",status="404"\} 1\n/)
  assert.match(merged, /gatehouse_request_duration_seconds_bucket\{endpoint="x",le="0.025"\} 1\n/)
  assert.match(merged, /gatehouse_request_duration_seconds_bucket\{endpoint="x",le="\+Inf"\} 2\n/)
  assert.equal(merged.match(/# TYPE gatehouse_requests_total/g)?.length, 1)
  assert.equal(mergeMetrics([one.write()]), one.write())
})

test('label values are escaped, and a flood of them ends in one series', () => {
  const metrics = new Metrics()
  metrics.requests.add(['a"b\\c\nd', '200'])
  assert.match(metrics.requests.write(), /endpoint="a\\"b\\\\c\\nd"/)
  for (let i = 0; i < 5_000; i++) metrics.requests.add([`e${i}`, '200'])
  assert.ok(metrics.requests.write().split('\n').length < 2_010)
  assert.match(metrics.requests.write(), /endpoint="other",status="other"/)
})
