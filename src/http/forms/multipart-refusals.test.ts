import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
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
} from '../../../test/fakes/multipart-form.ts'
import { readField, readMultipart } from './multipart.ts'

describe('headers of a part', () => {
  const GOOD: [string, { name: string; filename?: string; contentType?: string }][] = [
    ['Content-Disposition: form-data; name=bare', { name: 'bare' }],
    ['CONTENT-DISPOSITION: FORM-DATA; NAME="n"; FILENAME="f"', { name: 'n', filename: 'f' }],
    [
      'Content-Disposition: form-data; name="a\\"b"; filename="C:\\dir\\f.txt"',
      { name: 'a"b', filename: 'C:\\dir\\f.txt' },
    ],
    ['Content-Disposition: form-data; name="a%22b"; filename="100%25.txt"', { name: 'a"b', filename: '100%25.txt' }],
    ['Content-Disposition: form-data; name="f"; filename=""', { name: 'f', filename: '' }],
    ['Content-Disposition: form-data; name="f"; filename="; name=x"', { name: 'f', filename: '; name=x' }],
    [
      'Content-Disposition: form-data; name="f"; filename="../../etc/passwd"',
      { name: 'f', filename: '../../etc/passwd' },
    ],
    ['Content-Disposition: form-data; name="f"; filename="東京.png"', { name: 'f', filename: '東京.png' }],
    [
      "Content-Disposition: form-data; name=f; filename=x; filename*=UTF-8''%E6%9D%B1.png",
      { name: 'f', filename: '東.png' },
    ],
    ['Content-Disposition: form-data; name="f";', { name: 'f' }],
    [
      'X-Other: 1\r\nContent-Disposition: form-data; name="f"\r\nContent-Type: text/plain; charset=UTF-8',
      { name: 'f', contentType: 'text/plain; charset=UTF-8' },
    ],
    [
      'Content-Disposition: form-data; name="f"; filename="a"\r\nContent-Type: text/plain; charset=latin1',
      { name: 'f', filename: 'a', contentType: 'text/plain; charset=latin1' },
    ],
    ['Content-Disposition: form-data; name="f"\r\nContent-Transfer-Encoding: BINARY', { name: 'f' }],
  ]
  for (const [headers, expected] of GOOD)
    test(headers.replaceAll('\r\n', ' | '), async () =>
      assert.deepEqual(await readAll([form([{ headers, content: 'x' }])]), [{ ...expected, content: 'x' }]),
    )

  const BAD: [string, RegExp][] = [
    ['Content-Type: text/plain', /Content-Disposition/],
    ['Content-Disposition: attachment; name="f"', /Content-Disposition/],
    ['Content-Disposition: form-data; name="f', /Content-Disposition/],
    ['Content-Disposition: form-data; name="f"; name="g"', /Content-Disposition/],
    ['Content-Disposition: form-data', /no name/],
    ['Content-Disposition: form-data; filename="f"', /no name/],
    ['Content-Disposition: form-data; name=""', /no name/],
    ['Content-Disposition: form-data; name="f"\r\nContent-Disposition: form-data; name="g"', /twice/],
    ['Content-Disposition: form-data;\r\n name="folded"', /malformed/],
    ['no colon here', /malformed/],
    [': no name', /malformed/],
    ['Content-Disposition : form-data; name="f"', /malformed/],
    ['Content-Disposition: form-data; name="f"\nX-Injected: 1', /malformed/],
    ['Content-Disposition: form-data; name="f"\rX-Injected: 1', /malformed/],
    ['Content-Disposition: form-data; name="f\0"', /malformed/],
    ["Content-Disposition: form-data; name=f; filename*=UTF-8''a%0d%0aSet-Cookie:b", /control/],
    ["Content-Disposition: form-data; name=f; filename*=UTF-8''%ff", /UTF-8/],
    ["Content-Disposition: form-data; name=f; filename*=latin1''x", /UTF-8/],
    ['Content-Disposition: form-data; name="f"\r\nContent-Type: multipart/mixed; boundary=x', /within the form/],
    ['Content-Disposition: form-data; name="f"\r\nContent-Type: text/plain; charset=utf-16', /UTF-8/],
    ['Content-Disposition: form-data; name="f"\r\nContent-Transfer-Encoding: base64', /Encoding/],
  ]
  for (const [headers, sentence] of BAD)
    test(`refused: ${JSON.stringify(headers)}`, () =>
      assert.rejects(drain(from([form([{ headers, content: 'x' }])])), refusal('validation_error', sentence)))

  test('refused: bytes that are not UTF-8', async () => {
    const broken = Buffer.from(
      form([field('f\xff', 'x')])
        .toString('utf8')
        .replace('\xff', '\u0001'),
      'latin1',
    )
    broken[broken.indexOf(1)] = 0xff
    await assert.rejects(drain(from([broken])), refusal('validation_error', /UTF-8/))
  })
})

describe('forms that are refused', () => {
  const whole = form([field('a', 'x')])
  const BODIES: [string, Buffer | string, RegExp][] = [
    ['nothing at all', '', /ends before/],
    ['another boundary', whole.toString().replaceAll(BOUNDARY, 'other'), /ends before/],
    ['no headers', `--${BOUNDARY}\r\n\r\nx\r\n--${BOUNDARY}--`, /no name/],
    ['headers only', `--${BOUNDARY}\r\nContent-Disposition: form-data; name="f"\r\n`, /ends before/],
    [
      'a boundary with something behind it',
      whole.toString().replace(`x\r\n--${BOUNDARY}`, `x\r\n--${BOUNDARY}!`),
      /boundary/,
    ],
    ['a boundary in the content', form([file('a', `x\r\n--${BOUNDARY}x`)]), /boundary/],
    ['a long beginning that is no form', 'x'.repeat(9_000), /begin/],
    ['a long end', `${whole}${'x'.repeat(9_000)}`, /goes on/],
  ]
  for (const [name, body, sentence] of BODIES)
    test(name, async () => {
      for (const size of [1, 100_000])
        await assert.rejects(
          drain(from(pieces(Buffer.from(body as string), size))),
          refusal('validation_error', sentence),
        )
    })

  test('cut anywhere before its last boundary is whole', async () => {
    const end = whole.lastIndexOf('--') + 2
    for (let cut = 0; cut < end; cut++)
      await assert.rejects(drain(from([whole.subarray(0, cut)])), refusal('validation_error', /ends before/), `${cut}`)
    await drain(from([whole.subarray(0, end)]))
  })

  const TYPES: [string, 'validation_error' | 'unsupported_media_type', RegExp][] = [
    ['multipart/form-data', 'validation_error', /no boundary/],
    ['multipart/form-data; boundary=', 'validation_error', /no boundary/],
    ['multipart/form-data; boundary="unclosed', 'validation_error', /no boundary/],
    ['multipart/form-data; boundary=a; boundary=b', 'validation_error', /no boundary/],
    [`multipart/form-data; boundary=${'x'.repeat(71)}`, 'validation_error', /not valid/],
    ['multipart/form-data; boundary="a\r\nb"', 'validation_error', /not valid/],
    ['multipart/mixed; boundary=x', 'unsupported_media_type', /multipart\/form-data/],
    ['application/json', 'unsupported_media_type', /multipart\/form-data/],
    ['', 'unsupported_media_type', /multipart\/form-data/],
  ]
  for (const [type, code, sentence] of TYPES)
    test(`Content-Type ${JSON.stringify(type).slice(0, 60)}`, () =>
      assert.rejects(readMultipart(type, from([whole])).next(), refusal(code, sentence)))

  test('boundaries of every allowed kind work', async () => {
    for (const boundary of ["'()+_,-./:=?", 'a b', 'x', 'y'.repeat(70)]) {
      const body = Buffer.from(`--${boundary}\r\nContent-Disposition: form-data; name="f"\r\n\r\nv\r\n--${boundary}--`)
      for await (const part of readMultipart(
        `Multipart/Form-Data; charset=utf-8; boundary="${boundary}"`,
        from([body]),
      ))
        assert.equal(await readField(part), 'v')
    }
  })
})
