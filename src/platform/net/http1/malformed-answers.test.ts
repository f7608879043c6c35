import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { FailureKind } from '../../../translation/wire/wire.ts'
import { BODY, CHUNKED, CHUNKS, CUT, FIRST_LINES, HEADERS, OK } from './fixtures/malformed-answers.ts'
import { feed, readAnswer } from './fixtures/read-answer.ts'
import { ResponseReader } from './response-reader.ts'

// An answer that two programs could read in two ways must not be used for any request.

test('an answer that does not begin as one is refused', () => {
  for (const line of FIRST_LINES) refuses(`${line}\r\nContent-Length: 5\r\n\r\n${BODY}`, 'protocol')
})

test('an answer with headers that can be read in two ways is refused', () => {
  for (const line of HEADERS) refuses(`${OK}${line}\r\n\r\n${BODY}`, 'protocol')
  for (const line of HEADERS)
    for (const bytes of [`${OK}a: b\r\n${line}\r\nc: d\r\n\r\n${BODY}`, `HTTP/1.1 204 \r\n${line}\r\n\r\n`])
      assert.equal(readAnswer(bytes).failure, 'protocol', JSON.stringify(bytes))
})

test('chunks that can be read in two ways are refused', () => {
  for (const chunks of CHUNKS) refuses(CHUNKED + chunks, 'protocol')
})

test('an answer that ends too early is a loss', () => {
  for (const bytes of CUT) refuses(bytes, 'reset')
})

test('line ends without a return are refused at once, and not waited for', () => {
  for (const bytes of [
    'HTTP/1.1 200 OK\nContent-Length: 0\n\n',
    'HTTP/1.1 200 OK\r\nContent-Length: 0\n',
    'SSH-2.0-OpenSSH\r\n',
    'X',
  ])
    assert.throws(() => newReader().feed(Buffer.from(bytes)), { kind: 'protocol' }, bytes)
})

test('a head may have 64 KB and not a byte more, wherever it is cut', () => {
  const long = (bytes: number) => `${OK}Content-Length: 0\r\nx: `.padEnd(bytes, 'y')
  for (const cuts of [[], [10], [65_535], [65_536], [65_537], [65_538], [65_539]]) {
    assert.equal(readAnswer(`${long(65_536)}\r\n\r\n`, cuts).failure, undefined, `cut at ${cuts}`)
    assert.equal(readAnswer(`${long(65_537)}\r\n\r\n`, cuts).failure, 'protocol', `cut at ${cuts}`)
  }
})

test('a head, an extension and trailers that never end are not waited for', () => {
  for (const [begin, endless] of [
    [`${OK}x: `, 'y'],
    [OK, 'x: y\r\n'],
    [`${CHUNKED}5;x=`, 'y'],
    [`${CHUNKED}5`, ';x=y'],
    [`${CHUNKED}0\r\n`, 'x: y\r\n'],
  ]) {
    const reader = newReader()
    reader.feed(Buffer.from(begin!))
    const kilobyte = Buffer.from(endless!.repeat(1024 / endless!.length + 1))
    assert.throws(
      () => {
        for (let fed = 0; fed < 80; fed++) feed(reader, kilobyte)
      },
      { kind: 'protocol' },
      begin,
    )
  }
})

test('a hundred early hints are passed over, and not one more', () => {
  const hints = (count: number) => `${'HTTP/1.1 103 \r\nlink: x\r\n\r\n'.repeat(count)}${OK}content-length: 0\r\n\r\n`
  for (const cuts of [[], [10], [...Array(2_000).keys()]]) {
    assert.equal(readAnswer(hints(100), cuts).failure, undefined)
    assert.equal(readAnswer(hints(101), cuts).failure, 'protocol')
  }
  // They are counted separately for each answer.
  const reader = new ResponseReader({ head() {}, data() {}, end() {} })
  for (let answer = 0; answer < 3; answer++) {
    reader.begin()
    feed(reader, Buffer.from(hints(60)))
    assert.equal(reader.keepsAlive, true)
  }
})

test('an answer without a body that announces one is an answer, and the last one of its connection', () => {
  const announced: [lines: string[], keepsAlive: boolean][] = [
    [['HTTP/1.1 204 ', 'content-length: 0'], true],
    [['HTTP/1.1 204 ', 'content-length: 5'], false],
    [['HTTP/1.1 204 ', 'transfer-encoding: chunked'], false],
    [['HTTP/1.1 304 ', 'content-length: 5'], true],
    [['HTTP/1.1 304 ', 'transfer-encoding: chunked'], false],
  ]
  for (const [lines, keepsAlive] of announced) {
    const reading = readAnswer(`${lines.join('\r\n')}\r\n\r\n`)
    assert.deepEqual([reading.isWhole, reading.body, reading.keepsAlive], [true, '', keepsAlive], lines.join())
  }
})

/** Refuses the bytes wherever they are split. */
function refuses(bytes: string, kind: FailureKind): void {
  const whole = readAnswer(bytes)
  assert.equal(whole.failure, kind, JSON.stringify(bytes.slice(0, 200)))
  assert.equal(whole.keepsAlive, false)
  const isShort = bytes.length < 200
  for (let cut = 1; isShort && cut < bytes.length; cut++) {
    const { failure, body } = readAnswer(bytes, [cut])
    if (failure !== kind || body !== whole.body) assert.fail(`${JSON.stringify(bytes)} cut at ${cut}`)
  }
}

function newReader(): ResponseReader {
  const reader = new ResponseReader({ head() {}, data() {}, end() {} })
  reader.begin()
  return reader
}
