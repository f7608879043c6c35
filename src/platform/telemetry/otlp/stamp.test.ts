import assert from 'node:assert/strict'
import { test } from 'node:test'
import { decodeOtlp } from '../../../../test/fakes/otlp-decoder.ts'
import { field, fieldHead, utf8 } from './protobuf.ts'
import { stampJson, stampProtobuf } from './stamp.ts'

const STAMP = { 'gatehouse.user.id': 'ada', 'gatehouse.project': 'Zürich' }

function pair(key: string, value: string): string {
  return field(1, field(1, utf8(key)) + field(2, field(1, utf8(value))))
}

/** A request with one resource, which holds these messages of attributes. */
function logs(...resources: string[]): Buffer {
  const scope = field(2, field(2, field(5, field(1, utf8('prompt ✓')))))
  return Buffer.from(field(1, resources.map((one) => field(1, one)).join('') + scope), 'latin1')
}

function attributesIn(batch: Uint8Array): string[] {
  const { resourceLogs } = decodeOtlp('/v1/logs', Buffer.from(batch)) as {
    resourceLogs: { resource: { attributes: { key: string; value: { stringValue: string } }[] } }[]
  }
  return resourceLogs.flatMap(({ resource }) =>
    resource.attributes.map(({ key, value }) => `${key}=${value.stringValue}`),
  )
}

test('what a program claims to be of is replaced, and all else stays', () => {
  const theirs = pair('service.name', 'claude-code') + pair('gatehouse.user.id', 'eve')
  const stamped = stampProtobuf(logs(theirs), STAMP)
  assert.deepEqual(attributesIn(stamped), [
    'service.name=claude-code',
    'gatehouse.user.id=ada',
    'gatehouse.project=Zürich',
  ])
  assert.match(stamped.toString(), /prompt ✓/)
  const list = [
    { resource: { attributes: [{ key: 'gatehouse.user.id', value: { stringValue: 'eve' } }] }, scopeLogs: [7] },
  ]
  const json = JSON.parse(stampJson('logs', { resourceLogs: list, resource_logs: list }, STAMP))
  assert.deepEqual(Object.keys(json), ['resourceLogs'])
  assert.deepEqual(json.resourceLogs[0].scopeLogs, [7])
  assert.deepEqual(
    json.resourceLogs[0].resource.attributes.map(({ value }: { value: { stringValue: string } }) => value.stringValue),
    ['ada', 'Zürich'],
  )
})

test('a resource that stands twice, not at all, or whose key stands twice hides nothing', () => {
  const stamped = stampProtobuf(logs(pair('gatehouse.user.id', 'eve'), pair('b', 'c')), STAMP)
  assert.deepEqual(attributesIn(stamped), ['b=c', 'gatehouse.user.id=ada', 'gatehouse.project=Zürich'])
  assert.deepEqual(attributesIn(stampProtobuf(logs(), STAMP)), ['gatehouse.user.id=ada', 'gatehouse.project=Zürich'])
  const twice = field(
    1,
    field(1, utf8('harmless')) + field(1, utf8('gatehouse.user.id')) + field(2, field(1, utf8('eve'))),
  )
  assert.deepEqual(attributesIn(stampProtobuf(logs(twice), STAMP)).length, 2)
})

test('names that collectors make the same as ours are replaced, too', () => {
  for (const name of ['gatehouse_user_id', 'Gatehouse.User.Id', 'gatehouse/user/id']) {
    const pairs = [{ key: name, value: { stringValue: 'eve' } }]
    const json = stampJson('logs', { resourceLogs: [{ resource: { attributes: pairs } }] }, STAMP)
    assert.doesNotMatch(json, /eve/, name)
    assert.doesNotMatch(stampProtobuf(logs(pair(name, 'eve')), STAMP).toString(), /eve/, name)
  }
  assert.match(stampProtobuf(logs(pair('gatehouses', 'two')), STAMP).toString(), /two/)
})

test('a batch of very many resources, each of which would be stamped, is refused', () => {
  const many = Array.from({ length: 1_001 }, () => ({}))
  assert.throws(() => stampJson('metrics', { resourceMetrics: many }, STAMP), /too many resources/)
  assert.throws(() => stampProtobuf(Buffer.from(fieldHead(1, 0).repeat(1_001), 'latin1'), STAMP), /too many resources/)
  assert.doesNotThrow(() => stampJson('metrics', { resourceMetrics: many.slice(1) }, STAMP))
})

test('what is no batch, and a batch of very many fields, is refused', () => {
  for (const bytes of ['\xff', '\x0a\x05', '\x0b', 'hello'])
    assert.throws(() => stampProtobuf(Buffer.from(bytes, 'latin1'), STAMP), RangeError)
  assert.throws(() => stampProtobuf(Buffer.from(fieldHead(1, 0).repeat(100_000), 'latin1'), STAMP), /too many fields/)
  for (const body of [
    null,
    [],
    'x',
    { resourceLogs: {} },
    { resourceLogs: [null] },
    { resourceLogs: [{ resource: 1 }] },
  ])
    assert.throws(() => stampJson('logs', body, STAMP), TypeError)
  assert.equal(stampJson('logs', {}, STAMP), '{"resourceLogs":[]}')
})
