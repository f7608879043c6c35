import assert from 'node:assert/strict'
import { test } from 'node:test'
import { assertLinear, GROWTH } from '../../../test/fakes/cpu.ts'
import fc from 'fast-check'
import { Problem } from '../../contract/problems.ts'
import { editText, editValue } from './edit-json.ts'
import { outline } from './outline.ts'
import { HOSTILE_BODIES } from './fixtures/hostile-bodies.ts'
import { parseBody, parseText, readText } from './parse-body.ts'
import { sample } from '../../../test/soak/sample.ts'

test('an edit of the text equals the same edit of the value, for any object and any edit', () => {
  const key = fc.oneof(fc.constantFrom('model', 'stream', 'a"b', 'c\\', 'é'), fc.string())
  const object = fc.dictionary(
    key.filter((name) => name !== '__proto__'),
    fc.jsonValue(),
  )
  fc.assert(
    fc.property(object, object, fc.array(key), fc.constantFrom(undefined, 2, '\t'), (value, set, drop, indent) => {
      const text = JSON.stringify(value, null, indent)
      const edit = { set, drop: new Set(drop) }
      assert.deepEqual(JSON.parse(editText(text, outline(text), edit)), JSON.parse(editValue(value, edit)))
    }),
    { numRuns: 500 },
  )
})

test('untouched members keep their exact bytes', () => {
  const text = '{ "a" : 1.50 ,"model":"x", "big": 12345678901234567890 }'
  const edited = editText(text, outline(text), { set: { model: 'y' }, drop: new Set() })
  assert.equal(edited, '{ "a" : 1.50 ,"model":"y", "big": 12345678901234567890 }')
  const without = editText(text, outline(text), { set: { model: 'y' }, drop: new Set(['a']) })
  assert.equal(without, '{"model":"y","big": 12345678901234567890 }')
})

test('a repeated key is noticed, at any depth and even if it is escaped', () => {
  const repeated = [
    '{"model":"a","mod\\u0065l":"b"}',
    '{"messages":[{"role":"user","content":"a","content":"b"}]}',
    '{"a":[[{"b":{"c":{"d":1,"e":2,"d":{}}}}]]}',
    '[{"a":{"x":1},"a":{"x":1}}]',
    '{"a":{"":1,"":2}}',
  ]
  const plain = [
    '{"model":"a","x":{"model":"b"}}',
    '[{"a":1},{"a":1}]',
    '{"a":"b:c","d":{"1":":","\\"":{}}}',
    '"a:b"',
    '1',
  ]
  for (const text of repeated) assert.equal(parseBody(Buffer.from(text)).repeated, true, text)
  for (const text of plain) assert.equal(parseBody(Buffer.from(text)).repeated, false, text)
})

test('no text that JSON.stringify wrote repeats a key; with one member doubled it does', () => {
  fc.assert(
    fc.property(fc.jsonValue(), fc.string(), (value, key) => {
      const text = JSON.stringify({ value, key })
      fc.pre(!text.includes('__proto__'))
      assert.equal(parseBody(Buffer.from(text)).repeated, false)
      const inner = `{${JSON.stringify(key)}:1,${JSON.stringify(key)}:2}`
      assert.equal(parseBody(Buffer.from(`{"a":[${text},${inner}]}`)).repeated, true)
    }),
    { numRuns: 200 },
  )
})

test('64 levels pass, 65 do not, 100,000 do not reach the parser', () => {
  const nested = (depth: number) => Buffer.from(`${'['.repeat(depth)}${']'.repeat(depth)}`)
  assert.ok(parseBody(nested(64)))
  for (const depth of [65, 1_000, 100_000]) assert.throws(() => parseBody(nested(depth)), isTooLarge)
})

test('brackets inside strings are not depth', () => {
  const value = { text: '[[[['.repeat(100), quote: 'a\\"[[', end: '\\' }
  assert.deepEqual(parseBody(Buffer.from(JSON.stringify(value))).value, value)
})

test('a million values, invalid UTF-8, poison and invalid JSON are refused as validation errors', () => {
  assert.throws(() => parseBody(Buffer.from(`[${'0,'.repeat(1_000_000)}0]`)), isTooLarge)
  assert.throws(() => parseBody(Buffer.from([0x22, 0xc3, 0x28, 0x22])), isIssue('json_invalid'))
  assert.throws(() => parseBody(Buffer.from('{"a":[{"__proto__":{"x":1}}]}')), isIssue('extra_forbidden'))
  assert.throws(() => parseBody(Buffer.from('{"\\u005f_proto__":1}')), isIssue('extra_forbidden'))
  for (const text of ['', '{', '{"a":1}}', 'nope', '{"a":1,}', "{'a':1}", '{"a":01}', '"\u0000"']) {
    assert.throws(() => parseBody(Buffer.from(text)), isIssue('json_invalid'), text)
  }
  assert.equal(Object.hasOwn(Object.prototype, 'x'), false)
})

test('50,000 keys pass, wherever they are, one more is refused; 1,000 of them at the top level', () => {
  const keys = (count: number) => Array.from({ length: count }, (_, index) => `"k${index}":0`).join()
  assert.ok(parseBody(Buffer.from(`[{${keys(50_000)}}]`)))
  assert.ok(parseBody(Buffer.from(`[{${keys(25_000)}},{${keys(25_000)}}]`)))
  assert.ok(parseBody(Buffer.from(`{${keys(1_000)}}`)))
  assert.throws(() => parseBody(Buffer.from(`{${keys(1_001)}}`)), isTooLarge)
  assert.throws(() => parseBody(Buffer.from(`[{${keys(50_001)}}]`)), isTooLarge)
  assert.throws(() => parseBody(Buffer.from(`[{${keys(25_000)}},{${keys(25_001)}}]`)), isTooLarge)
})

test('endless quotes, brackets and braces are not read one by one', () => {
  for (const text of ['"', '""', '[]', '{}']) {
    assert.throws(() => parseBody(Buffer.from(text.repeat(600_000))), isTooLarge, text)
  }
  for (const text of [']', '}', '[]]']) {
    assert.throws(() => parseBody(Buffer.from(text.repeat(600_000))), isIssue('json_invalid'), text)
  }
})

test('poison is found at its path, and only in keys', () => {
  const body = '{"_":[0,{"a":[{"__proto__":1}]}],"b":{"__proto__":2}}'
  assert.throws(() => parseBody(Buffer.from(body)), {
    details: {
      message: 'body._.1.a.0.__proto__: Extra inputs are not permitted',
      detail: [
        {
          loc: ['body', '_', 1, 'a', 0, '__proto__'],
          msg: 'Extra inputs are not permitted',
          type: 'extra_forbidden',
        },
      ],
    },
  })
  assert.ok(parseBody(Buffer.from('{"_":["__proto__",{"x":"__proto__"}],"y":null}')))
})

test('a string ends in the right place, however many escapes it contains', () => {
  const pieces = fc.constantFrom('\\\\', '\\"', '\\n', '\\u0022', 'a', '[', ',')
  const long = fc.tuple(pieces, fc.constantFrom(1, 2, 7, 8, 9, 999, 1_000, 1_001, 2_000, 2_001, 5_000))
  const inner = fc
    .array(long, { maxLength: 12 })
    .map((runs) => runs.map(([piece, times]) => piece.repeat(times)).join(''))
  fc.assert(
    fc.property(inner, inner, (key, value) => {
      const text = `{"${key}":"${value}","model":"x"}`
      const { members } = outline(text)
      assert.deepEqual(
        members.map(({ valueStart, end }) => text.slice(valueStart, end)),
        [`"${value}"`, '"x"'],
      )
    }),
    { numRuns: 40 },
  )
})

test('a number that would be written otherwise is found behind any blanks, and no other number is', () => {
  const blanks = ['', ' ', '\n  ', '\t\r\n'.repeat(20)]
  const holders = [(value: string) => value, (value: string) => `[0,${value}]`, (value: string) => `{"b":${value}}`]
  const isOdd = (number: string) =>
    blanks.flatMap((before) =>
      blanks.flatMap((after) =>
        holders.map((holder) => outline(`{"a":${holder(`${before}${number}${after}`)},"c":1}`).odd.size === 1),
      ),
    )
  for (const odd of ['1.0', '-0', '1e2', '-1.5E3', '12345678901234567890', '0.0000001', '-10.20'])
    assert.ok(isOdd(odd).every(Boolean), odd)
  for (const plain of ['0', '-1', '12', '1.5', '-0.25', '123456789012345', '"1.0"', 'null', '[]', '{}'])
    assert.ok(!isOdd(plain).some(Boolean), plain)
})

test('every step of reading a body takes time proportional to its length', () => {
  const share = sample(8, 1)
  for (const [name, { text, most }] of Object.entries(HOSTILE_BODIES)) {
    const few = Math.floor(most / share / GROWTH)
    const bodies = new Map([few, few * GROWTH].map((count) => [count, Buffer.from(text(count))]))
    assertLinear(`${name}, read`, (count) => readText(bodies.get(count)!), few)
    const read = new Map([...bodies].map(([count, bytes]) => [count, readText(bytes)]))
    assertLinear(`${name}, parsed`, (count) => parseText(read.get(count)!), few)
  }
})

test('an error names a position, never the text around it', () => {
  assert.throws(
    () => parseBody(Buffer.from('{"key":"sk-secret",,}')),
    (error) => error instanceof Problem && /position/.test(error.message) && !error.message.includes('sk-secret'),
  )
})

function isIssue(type: string) {
  return (error: unknown) =>
    error instanceof Problem && error.status === 422 && error.details.detail?.[0]?.type === type
}

function isTooLarge(error: unknown): boolean {
  return error instanceof Problem && error.status === 413 && error.details.detail?.[0]?.type === 'value_error'
}
