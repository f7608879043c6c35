import assert from 'node:assert/strict'
import { test } from 'node:test'
import { countersOf, mergeMetrics, withLabel } from './merge-metrics.ts'
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

test('the counters of a process that died stay in the sums, its gauges do not', () => {
  const [dead, alive] = [new Metrics(), new Metrics()]
  for (const metrics of [dead, alive]) {
    metrics.requests.add(['x', '200'], 3)
    metrics.durations.observe(['x'], 0.02)
    metrics.read('gatehouse_in_flight', () => 5)
    metrics.read('gatehouse_circuits_open', () => 2)
    metrics.read('gatehouse_key_cache_hits_total', () => 4)
  }
  const both = mergeMetrics([dead.write(), alive.write()])
  assert.match(both, /^gatehouse_in_flight 10$/m)
  assert.match(both, /^gatehouse_circuits_open 2$/m)
  const left = mergeMetrics([countersOf(dead.write()), alive.write()])
  assert.match(left, /^gatehouse_in_flight 5$/m)
  for (const line of both.match(/^gatehouse_(?:requests|request_duration|key_cache_hits).*$/gm)!)
    assert.ok(left.includes(line), line)
})

test('a flood of series of dead processes ends in one series, and nothing decreases', () => {
  let sums = ''
  for (let death = 0; death < 30; death++) {
    const metrics = new Metrics()
    metrics.requests.add([`"invented" ${death}`, '200'])
    metrics.durations.observe([`e${death}`], 1)
    sums = mergeMetrics([sums, metrics.write()], 20)
  }
  const lines = sums.match(/^gatehouse_requests_total.*$/gm)!
  assert.equal(lines.length, 21)
  assert.match(sums, /^gatehouse_requests_total\{endpoint="other",status="other"\} 10$/m)
  assert.match(sums, /^gatehouse_request_duration_seconds_bucket\{endpoint="other",le="\+Inf"\} \d+$/m)
})

test('a label is added to every sample, and to nothing else', () => {
  const metrics = new Metrics()
  metrics.requests.add(['GET /a} "b" 7', '200'])
  metrics.read('gatehouse_in_flight', () => 5)
  const text = withLabel(metrics.write(), 'process', 'a-1')
  assert.match(text, /^gatehouse_requests_total\{endpoint="GET \/a\} \\"b\\" 7",status="200",process="a-1"\} 1$/m)
  assert.match(text, /^gatehouse_in_flight\{process="a-1"\} 5$/m)
  assert.match(text, /^# HELP gatehouse_in_flight Requests that are being answered now\.$/m)
  assert.equal(withLabel('# HELP a {now} 5\n', 'process', 'a-1'), '# HELP a {now} 5\n')
})
