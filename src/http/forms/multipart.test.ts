import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { buffer } from 'node:stream/consumers'
import { describe, test } from 'node:test'
import fc from 'fast-check'
import { sample } from '../../../test/soak/sample.ts'
import {
  BOUNDARY,
  drain,
  field,
  file,
  form,
  from,
  pieces,
  readAll,
  refusal,
  type FormPart,
  TYPE,
} from '../../../test/fakes/multipart-form.ts'
import { Problem } from '../../contract/problems.ts'
import { type Part, readField, readMultipart } from './multipart.ts'
import { MB } from '../../base/units/units.ts'

describe('a form', () => {
  const parts: FormPart[] = [
    { headers: 'Content-Disposition: form-data; name="purpose"', content: 'ocr' },
    { headers: 'Content-Disposition: form-data; name="empty"', content: '' },
    {
      headers: 'content-disposition:form-data; name="file"; filename="a b.bin"\r\nContent-Type: image/png',
      content: Buffer.from('\r\n--\r\n----bound\r\r\n\n\r\n------boundary4\0\xff', 'latin1'),
    },
    { headers: 'Content-Disposition: form-data; name="größe"', content: '\r\n' },
  ]
  const body = form(parts)
  const expected = [
    { name: 'purpose', content: 'ocr' },
    { name: 'empty', content: '' },
    { name: 'file', filename: 'a b.bin', contentType: 'image/png', content: parts[2]!.content.toString('latin1') },
    { name: 'größe', content: '\r\n' },
  ]

  test('gives its parts', async () => assert.deepEqual(await readAll([body]), expected))

  test('gives the same parts when it is cut in two, at every byte', async () => {
    for (let cut = 0; cut <= body.length; cut++)
      assert.deepEqual(await readAll([body.subarray(0, cut), body.subarray(cut)]), expected, `cut at ${cut}`)
  })

  test('gives the same parts byte by byte, and in any pieces', async () => {
    assert.deepEqual(await readAll(pieces(body, 1)), expected)
    await fc.assert(
      fc.asyncProperty(fc.integer({ min: 1, max: 100 }), async (size) =>
        assert.deepEqual(await readAll(pieces(body, size)), expected),
      ),
      { numRuns: sample(20, 60) },
    )
  })

  test('may have something before and after, and spaces behind its boundaries', async () => {
    const odd = body.toString('latin1').replaceAll(`--${BOUNDARY}\r\n`, `--${BOUNDARY} \t \r\n`)
    const wrapped = Buffer.from(`This is a form.\r\n${odd}The end.`, 'latin1')
    for (const size of [1, 7, 1000]) assert.deepEqual(await readAll(pieces(wrapped, size)), expected)
  })

  test('may be empty', async () => assert.deepEqual(await readAll([Buffer.from(`--${BOUNDARY}--\r\n`)]), []))

  test('of any content comes back as it went', async () => {
    const content = fc.oneof(
      fc.uint8Array({ maxLength: 200 }).map((bytes) => Buffer.from(bytes)),
      fc
        .array(fc.constantFrom('\r', '\n', '-', '--', '----boundary4', '\r\n--', 'x'), { maxLength: 30 })
        .map((words) => Buffer.from(words.join(''))),
    )
    await fc.assert(
      fc.asyncProperty(content, fc.integer({ min: 1, max: 50 }), async (bytes, size) => {
        const sent = form([{ headers: 'Content-Disposition: form-data; name="f"; filename="f"', content: bytes }])
        assert.deepEqual((await readAll(pieces(sent, size)))[0]?.content, bytes.toString('latin1'))
      }),
      { numRuns: sample(100, 300) },
    )
  })
})

describe('over a socket', () => {
  test('what a real client sends is understood, and a form that is refused in the middle gets its answer', async () => {
    const server = createServer(async (request, response) => {
      const source = request.iterator({ destroyOnReturn: false })
      const limits = { maxFieldBytes: 10 }
      try {
        const names: string[] = []
        for await (const part of readMultipart(request.headers['content-type'] ?? '', source, limits))
          names.push(`${part.name}|${part.filename}|${part.contentType}|${(await buffer(part.bytes)).length}`)
        response.end(names.join(' '))
      } catch (error) {
        response.writeHead((error as Problem).status, { connection: 'close' }).end((error as Problem).message)
      }
    })
    await once(server.listen(0, '127.0.0.1'), 'listening')
    const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
    const send = new FormData()
    send.set('größe"', 'klein')
    send.set('file', new File([randomBytes(200_000)], 'Bild "1".png', { type: 'image/png' }))
    const good = await fetch(url, { method: 'POST', body: send })
    assert.equal(await good.text(), 'größe"|undefined|undefined|5 file|Bild "1".png|image/png|200000')
    send.set('größe"', 'x'.repeat(100_000))
    const refused = await fetch(url, { method: 'POST', body: send })
    assert.equal(refused.status, 413)
    assert.match(await refused.text(), /larger than 10 bytes/)
    server.closeAllConnections()
    await once(server.close(), 'close')
  })
})

describe('reading', () => {
  test('what is not read of a part is skipped, and a part that was left gives no more', async () => {
    const sent = form([file('a', randomBytes(300_000)), file('b', randomBytes(300_000)), field('c', 'here')])
    const [names, seen]: [string[], Part[]] = [[], []]
    for await (const part of readMultipart(TYPE, from(pieces(sent, 10_000)))) {
      names.push(part.name)
      seen.push(part)
      if (part.name === 'b') for await (const chunk of part.bytes) if (chunk.length > 0) break
      if (part.name === 'c') assert.equal(await readField(part), 'here')
    }
    assert.deepEqual(names, ['a', 'b', 'c'])
    await assert.rejects(buffer(seen[0]!.bytes), /no longer be read/)
  })

  test('nothing is read before it is requested', async () => {
    let pulled = 0
    const source = async function* () {
      for (const piece of pieces(form([file('a', randomBytes(MB))]), 10_000)) {
        pulled++
        yield piece
      }
    }
    const parts = readMultipart(TYPE, source())
    assert.equal(pulled, 0)
    const { value: part } = await parts.next()
    assert.equal(pulled, 1)
    const bytes = (part as Part).bytes[Symbol.asyncIterator]()
    for (let chunk = 1; chunk <= 5; chunk++) {
      await bytes.next()
      assert.equal(pulled, chunk)
    }
    await parts.return(undefined)
  })

  test('leaving early closes the source, and a source that fails is passed on as it is', async () => {
    let closed = false
    const source = async function* () {
      try {
        yield form([file('a', 'x'), file('b', 'y')])
      } finally {
        closed = true
      }
    }
    for await (const part of readMultipart(TYPE, source())) if (part.name === 'a') break
    assert.equal(closed, true)
    const reason = new Error('the client left')
    const failing = async function* () {
      yield form([file('a', 'x')]).subarray(0, -20)
      throw reason
    }
    await assert.rejects(drain(failing()), (error) => error === reason)
  })
})

describe('limits', () => {
  test('100 parts pass and 101 do not; 10,000 are refused at the 101st', async () => {
    const many = (count: number) => form(Array.from({ length: count }, (_, index) => field(`f${index}`, 'x')))
    assert.equal((await readAll([many(100)])).length, 100)
    for (const count of [101, 10_000])
      await assert.rejects(drain(from(pieces(many(count), 65_536))), refusal('too_large', /100 parts/))
  })

  test('headers of 8 KB pass; larger ones do not, even when they never end', async () => {
    const long = (bytes: number) => {
      const start = 'Content-Disposition: form-data; name="f"\r\nX: '
      return form([{ headers: start + 'x'.repeat(bytes - start.length), content: 'v' }])
    }
    for (const size of [1_000, 100_000]) {
      assert.equal((await readAll(pieces(long(8_192), size))).length, 1)
      await assert.rejects(drain(from(pieces(long(8_193), size))), refusal('too_large', /headers/))
      await assert.rejects(drain(from(pieces(long(MB), size))), refusal('too_large', /headers/))
    }
    let pulled = 0
    const endless = async function* () {
      yield Buffer.from(`--${BOUNDARY}\r\n`)
      for (; ; pulled++) yield Buffer.alloc(1_000, 'x')
    }
    await assert.rejects(drain(endless()), refusal('too_large', /headers/))
    assert.ok(pulled < 12)
  })

  test('a field has its limit, a file has none here', async () => {
    const limits = { maxFieldBytes: 1_000 }
    assert.equal((await readAll([form([field('f', 'x'.repeat(1_000))])], limits)).length, 1)
    const over = from([form([field('f', 'x'.repeat(1_001))])])
    await assert.rejects(drain(over, limits), refusal('too_large', /field/))
    assert.equal((await readAll([form([file('f', 'x'.repeat(5_000))])], limits))[0]?.content.length, 5_000)
  })

  test('a field that is not UTF-8 is refused by name', async () => {
    const sent = form([{ headers: 'Content-Disposition: form-data; name="purpose"', content: Buffer.from([0xff]) }])
    await assert.rejects(
      async () => {
        for await (const part of readMultipart(TYPE, from([sent]))) await readField(part)
      },
      (error) => error instanceof Problem && error.details.param === 'purpose',
    )
  })

  test('a large file passes through without being held', async () => {
    const chunk = randomBytes(65_536)
    const source = async function* () {
      yield Buffer.from(`--${BOUNDARY}\r\nContent-Disposition: form-data; name="f"; filename="f"\r\n\r\n`)
      for (let sent = 0; sent < 100 * MB; sent += chunk.length) yield chunk
      yield Buffer.from(`\r\n--${BOUNDARY}--\r\n`)
    }
    let [size, largest] = [0, 0]
    for await (const part of readMultipart(TYPE, source()))
      for await (const piece of part.bytes) {
        size += piece.length
        largest = Math.max(largest, piece.length)
      }
    assert.equal(size, 100 * MB)
    assert.ok(largest <= 65_536 + 100)
  })
})
