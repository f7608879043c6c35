import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import { type FakeProvider, startFakeProvider } from '../../fakes/provider.ts'
import { API_KEY, type GatewayUnderTest, startGateway } from '../../gateway/gateway-under-test.ts'
import { exchange, type RawReply, request } from '../../gateway/raw-http.ts'

// Texts like those of JSONTestSuite: what every parser must accept, and what every parser must refuse.

const VALID = [
  ...['null', 'true', '0', '-0', '""', '[]', '{}', ' [ ] ', '\t\n\r[]', '[null,1,"1",{}]', '{"":0}', '{"a":1,"a":2}'],
  ...[
    '"\\u0000"',
    '["\\ud83d\\ude00"]',
    '["\\ud800"]',
    '["\\/"]',
    '["\u007f"]',
    '["\u2028"]',
    '["\u{1f600}"]',
    '"\\\\"',
  ],
  ...['[1e2]', '[1E+2]', '[1e-2]', '[-0]', '[-0.0]', '[1e400]', '[0.1e-999]', '[4.9e-324]', '9007199254740993'],
  ...[`[${'1'.repeat(400)}]`, '{"toString":1,"constructor":{"prototype":{"x":1}}}', '{"a":{"b":[{"c":"]}"}]}}'],
]

const INVALID = [
  ...['', ' ', '[', ']', '{', '}', '[1,]', '[,1]', '[1,,2]', '[1 2]', '[1', '["a",\n', '[1]]', '[1}', '{"a":[1}]'],
  ...[
    '{"a":}',
    '{"a"',
    '{"a":1,}',
    '{,}',
    "{'a':1}",
    '{a:1}',
    '{"a" 1}',
    '{1:1}',
    '{"a":1 "b":2}',
    '{"a":"b"}#',
    '{} {}',
  ],
  ...['[01]', '[-]', '[--1]', '[-01]', '[+1]', '[.5]', '[1.]', '[2.e3]', '[1e]', '[1e+]', '[0x1]', '[1-2]', '[1_000]'],
  ...['[NaN]', '[Infinity]', '[-Infinity]', '[nul]', '[True]', 'tru', 'undefined', '*', '<xml/>', "'a'", '"', '["a]'],
  ...[
    '["\\x"]',
    '["\\u12"]',
    '["\\u00zz"]',
    '["\t"]',
    '["\n"]',
    '["\u0000"]',
    '[1]\u0000',
    '\ufeff{}',
    '\u00a0[]',
    '[\f]',
  ],
  ...['// comment\n{}', '/* comment */{}', '{"a":/**/1}', '{}x', '`a`', '[1;2]', '{"a"=1}'],
]

const NOT_UTF8 = [
  '22c328',
  '22ff22',
  '22c0af22',
  '22eda08022',
  '22e28222',
  '22f8888080802 2'.replace(' ', ''),
  'fffe7b007d00',
  '7b8022',
]

/** A field, a number as it is written, and the resulting status. */
const NUMBERS: [field: string, text: string, status: number][] = [
  ...pairs('temperature', {
    '-0': 200,
    '2.0': 200,
    '2e0': 200,
    '2.0000001': 422,
    '1e400': 422,
    '"1"': 422,
    true: 422,
    null: 200,
  }),
  ...pairs('seed', {
    '-0': 200,
    '9007199254740993': 200,
    '1.0': 200,
    '1.5': 422,
    '1e400': 422,
    '-1e400': 422,
    '"1"': 422,
  }),
  ...pairs('seed', { ['1'.repeat(300)]: 200, ['1'.repeat(400)]: 422, [`0.${'1'.repeat(400)}`]: 422, '1e-400': 200 }),
  ...pairs('max_tokens', {
    '-0': 422,
    '0': 422,
    '1e0': 200,
    '1.0': 200,
    '9007199254740993': 200,
    '1e400': 422,
    true: 422,
  }),
  ...pairs('unheard_of', { '1e400': 200, '-0': 200, '9007199254740993': 200, ['1'.repeat(400)]: 200 }),
]

describe('JSON, good and bad', () => {
  let gateway: GatewayUnderTest
  let provider: FakeProvider
  before(async () => {
    provider = await startFakeProvider()
    gateway = await startGateway({ env: { OPENAI_API_KEY: 'sk-x', OPENAI_BASE_URL: provider.url } })
  })
  after(async () => {
    await gateway.close()
    await provider.close()
  })

  test(`${VALID.length} valid texts: as a body they are the wrong request, as a field they pass`, async () => {
    for (const text of VALID) {
      assert.notEqual(issueOf(await chat(text)).type, 'json_invalid', text)
      assert.equal((await chat(askWith(`"unheard_of":${text}`))).status, 200, text)
    }
  })

  test(`${INVALID.length} invalid texts: 422 json_invalid, alone and inside a request`, async () => {
    for (const text of INVALID) {
      assert.equal(issueOf(await chat(text)).type, 'json_invalid', JSON.stringify(text))
      const inside = await chat(askWith(`"unheard_of":${text}`))
      // A space, an extra comma and the like may be valid in this place; they must never cause a server error.
      assert.ok([200, 422].includes(inside.status), JSON.stringify(text))
    }
  })

  test('bytes that are not UTF-8 are 422, alone and inside a request', async () => {
    for (const hex of NOT_UTF8) {
      const bytes = Buffer.from(hex, 'hex')
      const [start, end] = askWith('"unheard_of":"?"').split('?')
      assert.equal(issueOf(await chat(bytes)).type, 'json_invalid', hex)
      const inside = Buffer.concat([Buffer.from(start!), bytes.subarray(1), Buffer.from(end!)])
      assert.equal(issueOf(await chat(inside)).type, 'json_invalid', hex)
    }
  })

  test('an error about JSON repeats nothing of the text', async () => {
    const reply = await chat('{"model":"sandbox/echo","secret":"sk-live-words",,}')
    assert.equal(reply.status, 422)
    assert.doesNotMatch(reply.body, /sk-live|secret/)
  })

  test('numbers at the edges: 422 or 200 as the field says, and they travel as they were written', async () => {
    for (const [field, text, status] of NUMBERS) {
      const reply = await chat(askWith(`"${field}":${text}`))
      assert.equal(reply.status, status, `${field}: ${text.slice(0, 30)}`)
      if (status === 422) assert.deepEqual(issueOf(reply).loc, ['body', field])
    }
    const exact = `"seed":9007199254740993,"unheard_of":[1e400,-0,${'1'.repeat(400)},1.50]`
    assert.equal((await chat(askWith(exact, 'openai/x'))).status, 200)
    assert.ok(provider.requests.at(-1)!.text.includes(exact))
  })

  test('64 levels pass, one more is 413, and so are 100,000', async () => {
    const nested = (levels: number) => '['.repeat(levels) + ']'.repeat(levels)
    assert.equal((await chat(askWith(`"unheard_of":${nested(63)}`))).status, 200)
    for (const levels of [64, 1_000, 100_000])
      assert.equal((await chat(askWith(`"unheard_of":${nested(levels)}`))).status, 413)
    assert.equal((await chat('{"a":'.repeat(100_000))).status, 413)
  })

  test('a body cannot change prototypes', async () => {
    const poison = '"__proto__":{"polluted":1}'
    for (const body of [
      askWith(poison),
      askWith(`"metadata":{${poison}}`),
      askWith(`"unheard_of":[[{${poison}}]]`),
      askWith('"\\u005f_proto__":{}'),
    ]) {
      const issue = issueOf(await chat(body))
      assert.equal(issue.type, 'extra_forbidden')
      assert.ok(issue.loc.includes('__proto__'))
    }
    const harmless =
      '"constructor":{"prototype":{"polluted":1}},"toString":1,"hasOwnProperty":null,"metadata":{"constructor":1}'
    assert.equal((await chat(askWith(harmless))).status, 200)
    assert.equal('polluted' in {}, false)
  })

  test('of a key that stands twice the last one counts, here and for the provider', async () => {
    const body = `{"model":"sandbox/none","messages":[],"model":"openai/right","messages":[{"role":"user","content":"x"}]}`
    assert.equal((await chat(body)).status, 200)
    assert.deepEqual(provider.requests.at(-1)!.body, { model: 'right', messages: [{ role: 'user', content: 'x' }] })
    assert.doesNotMatch(provider.requests.at(-1)!.text, /none|"messages".*"messages"/)
  })

  test('ten thousand keys and a million values are taken or refused, never an error of ours', async () => {
    assert.equal((await chat(askWith(`"unheard_of":{${manyKeys(10_000)}}`))).status, 200)
    assert.equal((await chat(askWith(manyKeys(1_000)))).status, 413)
    assert.equal((await chat(`[${'0,'.repeat(1_000_000)}0]`)).status, 413)
    assert.equal((await chat(askWith(`"unheard_of":[${'0,'.repeat(1_000_000)}0]`))).status, 413)
  })

  test('a string of nothing but escapes and 100,000 levels as well', async () => {
    assert.equal((await chat(askWith(`"unheard_of":"${'\\"'.repeat(5_000_000)}"`, 'sandbox/none'))).status, 404)
    assert.equal((await chat('['.repeat(100_000))).status, 413)
  })

  function chat(body: string | Buffer): Promise<RawReply> {
    const headers = [`Authorization: Bearer ${API_KEY}`, 'Content-Type: application/json']
    const framed = body.length === 0 ? [...headers, 'Content-Length: 0'] : headers
    return exchange(gateway.url, request('POST /v3/chat/completions', framed, body))
  }
})

function manyKeys(count: number): string {
  return Array.from({ length: count }, (_, index) => `"key${index}":${index}`).join()
}

function askWith(fields: string, model = 'sandbox/echo'): string {
  return `{"model":"${model}","messages":[{"role":"user","content":"x"}],${fields}}`
}

/** The first issue of a 422, after checking the rest of it. */
function issueOf(reply: RawReply): { loc: (string | number)[]; msg: string; type: string } {
  assert.equal(reply.status, 422, reply.body.slice(0, 200))
  const { error, detail } = JSON.parse(reply.body)
  assert.equal(error.code, 'validation_error')
  assert.ok(typeof error.message === 'string' && 'type' in error && 'param' in error)
  assert.ok(Array.isArray(detail) && detail.length > 0 && Array.isArray(detail[0].loc) && detail[0].msg)
  assert.match(reply.headers['x-request-id'] ?? '', /^req_/)
  return detail[0]
}

function pairs(field: string, statuses: Record<string, number>): [string, string, number][] {
  return Object.entries(statuses).map(([text, status]) => [field, text, status])
}
