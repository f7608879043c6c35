import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { joinedPieces } from '../src/calls/guardrails/joined-pieces.ts'
import { linkedSources } from '../src/endpoints/tool-loop/linked-sources.ts'
import { UsageTail } from '../src/money/billing/usage-tail.ts'
import { hasCycle } from '../src/translation/dialects/anthropic/has-cycle.ts'
import { encodeMessages } from '../src/translation/dialects/anthropic/messages.ts'
import { PastCalls } from '../src/translation/dialects/request/past-calls.ts'
import { toAnnotations } from '../src/translation/dialects/gemini/annotations.ts'
import { PartialCall } from '../src/translation/dialects/gemini/partial-call.ts'
import { Notes } from '../src/translation/dialects/notes.ts'
import { CallNumbers } from '../src/translation/dialects/openai/call-numbers.ts'
import { parseAnswer } from '../src/translation/tasks/llm/parse-answer.ts'
import { spanFinder } from '../src/translation/tasks/llm/places.ts'
import { OpenCalls } from '../src/translation/formats/gemini/open-calls.ts'
import { GrowingJson } from '../src/translation/formats/growing-json.ts'
import { BlockWriter } from '../src/translation/formats/messages/block-writer.ts'
import preTranslate from '../src/translation/hooks/pre/translate.ts'
import { hookTools } from '../src/translation/hooks/fixtures/hook-tools.ts'
import { KINDS } from '../src/translation/hooks/pii/personal-data.ts'
import { Placeholders } from '../src/translation/hooks/pii/placeholders.ts'
import { redactFilter } from '../src/translation/hooks/pii/redact-filter.ts'
import { tryParse } from '../src/translation/json/try-parse.ts'
import { documentFromSchema } from '../src/translation/sandbox/document-from-schema.ts'
import type { Message } from '../src/contract/chat.ts'
import { assertLinear, assertLoopLinear } from './fakes/cpu.ts'

// Where a caller or a provider decides how many items there are, twice as many may take only twice as long.

const listOf = <Item>(length: number, item: (at: number) => Item) => Array.from({ length }, (_, at) => item(at))

test('definitions that refer to each other in a long row', () => {
  const row = (size: number) => new Map(listOf(size, (at) => [`${at}`, new Set([`${at + 1}`])]))
  assert.equal(hasCycle(row(20_000)), false)
  assert.equal(hasCycle(new Map([...row(20_000), ['20000', new Set(['0'])]])), true)
  assert.equal(
    hasCycle(new Map([...listOf(3, (at) => [`${at}`, new Set(['x', 'y'])] as const), ['x', new Set(['y'])]])),
    false,
  )
  assertLinear('a row', (size) => hasCycle(row(size)), 4_000)
})

test('pieces of an answer that guardrails put together', () => {
  const joining = (piece: (at: number) => object) => (size: number) => joinedPieces(listOf(size, piece))
  const text = { type: 'reasoning.text', text: 'a' }
  assert.deepEqual(joining((at) => ({ tool_calls: [{ index: at % 2, function: { arguments: 'a' } }] }))(4), {
    tool_calls: [0, 1].map((index) => ({ index, function: { arguments: 'aa' } })),
  })
  for (const piece of [
    () => ({ reasoning_details: [text] }),
    (at: number) => ({ reasoning_details: [{ ...text, index: at }] }),
    (at: number) => ({ tool_calls: [{ id: `${at}`, function: { name: 'f', arguments: '{}' } }] }),
    (at: number) => ({ notes: { [`${at}`]: 'a' } }),
  ])
    assertLinear('pieces', joining(piece), 2_000)
})

test('a text of brackets that are no links', () => {
  const found = [{ url: 'https://a.test/', title: 'A' }]
  assert.equal(linkedSources('[[[a](https://a.test/)', found, false).length, 1)
  // Such a text is searched many times, because links of more than 500 characters are not looked for.
  const brackets = (size: number) => {
    for (let time = 0; time < 100; time++) linkedSources('['.repeat(size), found, false)
  }
  assertLinear('brackets', brackets, 30)
})

test('results of tools between other messages, for Anthropic', () => {
  const encoding = () => ({
    traits: undefined,
    notes: new Notes(),
    betas: new Set<string>(),
    takesReasoning: false,
    calls: new PastCalls('it'),
  })
  const messages = (size: number): Message[] =>
    listOf(size, (at) => {
      return at % 2 ? { role: 'user', content: `${at}` } : { role: 'tool', tool_call_id: `${at}`, content: `${at}` }
    })
  const [turn] = encodeMessages(messages(6), undefined, encoding()).turns
  assert.deepEqual(
    turn!.content.map(({ type }) => type),
    ['tool_result', 'tool_result', 'tool_result', 'text', 'text', 'text'],
  )
  assertLinear('results', (size) => encodeMessages(messages(size), undefined, encoding()), 8_000)
})

test('calls of the Gemini format that are answered by the name of their function', () => {
  const answer = (size: number) => {
    const calls = new OpenCalls()
    calls.made(listOf(size, (at) => ({ id: `${at}`, name: 'f' })))
    return listOf(size, () => calls.answered('', 'f'))
  }
  assert.deepEqual(answer(3), ['0', '1', '2'])
  assertLinear('calls', answer, 20_000)
})

test('calls that are answered by the name of their function', () => {
  assertLinear(
    'calls',
    (size) => {
      const calls = new PastCalls('it')
      calls.made({ role: 'assistant', tool_calls: listOf(size, () => ({ function: { name: 'f' } })) }, 0)
      for (let at = 0; at < size; at++) calls.answered({ role: 'tool', name: 'other' }, at)
    },
    3_000,
  )
  const calls = new PastCalls('it')
  const named = ['f', 'g', 'f'].map((name, at) => ({ id: `${at}`, function: { name } }))
  calls.made({ role: 'assistant', tool_calls: named }, 0)
  const answered = ['f', 'f', 'x'].map((name, at) => calls.answered({ role: 'tool', name }, at).id)
  assert.deepEqual(answered, ['0', '2', '1'])
})

test('pieces of thousands of calls at once', () => {
  assertLinear(
    'calls of a stream',
    (size) => {
      const numbers = new CallNumbers('a')
      numbers.take(listOf(size, (index) => ({ index, id: `${index}` })))
      numbers.take(listOf(size, (at) => ({ index: at % 10 })))
    },
    2_000,
  )
})

test('arguments of a call at a path of any length', () => {
  const call = new PartialCall({ name: 'f' })
  for (const path of [`$${'.a'.repeat(2_000_000)}`, `$['${'a'.repeat(4_000_000)}']`, `$${'.a'.repeat(100)}`])
    call.add([{ jsonPath: path, stringValue: 'x' }])
  call.add([{ jsonPath: '$.b[0]', stringValue: 'y' }])
  assert.equal(call.argumentsText, '{"b":["y"]}')
})

test('citations of a long answer', () => {
  const metadata = (size: number) => ({
    groundingChunks: [{ web: { uri: 'https://x.example' } }],
    groundingSupports: listOf(size, (at) => ({
      segment: { startIndex: at, endIndex: at + 7 },
      groundingChunkIndices: [0],
    })),
  })
  const text = 'aé😀b'.repeat(200_000)
  const [first] = toAnnotations({ groundingMetadata: metadata(1) }, text)
  assert.deepEqual([(first!.url_citation as { end_index: number }).end_index, text.slice(0, 4)], [4, 'aé😀'])
  assertLinear(
    'citations',
    (size) => toAnnotations({ groundingMetadata: metadata(size / 400) }, 'é'.repeat(size)),
    100_000,
  )
})

test('JSON in pieces is whole when it would parse, and never looked at twice', () => {
  const piece = fc.constantFrom('{', '}', '[', ']', '"', '\\', 'a', '1', ',', ':', ' ', '"a":', '\\"', 'true')
  fc.assert(
    fc.property(fc.array(piece, { maxLength: 12 }), (pieces) => {
      const json = new GrowingJson()
      let text = ''
      for (const one of pieces) {
        json.add(one)
        text += one
        assert.equal(json.isWhole, tryParse(text) !== undefined, text)
      }
    }),
    { numRuns: 500 },
  )
  const writer = (size: number) => {
    const blocks = new BlockWriter(String)
    blocks.call({ index: 0, id: 'a', name: 'f', isCustom: false, json: `{"a":"${'x'.repeat(1_000)}` })
    for (let at = 0; at < size; at++) {
      blocks.call({ index: 0, id: '', name: '', isCustom: false, json: 'x'.repeat(100) })
      blocks.text('.')
    }
  }
  assertLinear('a call and words in turn', writer, 500)
})

test('words that a model claims to have read, in a text of one letter', () => {
  const hostile = (size: number) => {
    const half = 'a'.repeat(size / 4)
    spanFinder('a'.repeat(size))(`${half}b${half}`)
  }
  assertLinear('a long word', hostile, 40_000)
  const find = spanFinder('a'.repeat(200_000))
  assert.deepEqual(find('a'), [], 'more places than are kept are none')
  assert.equal(spanFinder('a b a')('a').length, 2)
})

test('JSON in a fence full of blanks', () => {
  assertLinear('a fence', (size) => parseAnswer(`\`\`\`json\n${' '.repeat(size)}x`), 50_000)
  assert.deepEqual(parseAnswer('Here:\n```json\n{"a": 1}\n```'), { a: 1 })
})

test('tens of thousands of messages to translate', async () => {
  const { tools } = hookTools()
  const translate = async (size: number) => {
    const request = { model: 'm', messages: listOf(size, (): Message => ({ role: 'user', content: '' })) }
    return await preTranslate.run(request, { provider: 'x', target_language: 'de' }, tools)
  }
  assert.equal((await translate(9)).messages.length, 9)
  await assertLoopLinear('messages', translate, 3_000)
})

test('figures that come one character at a time', () => {
  const redaction = () => ({ kinds: KINDS, placeholders: new Placeholders(), isRestored: false })
  const push = (size: number) => {
    const filter = redactFilter(redaction())
    for (let at = 0; at < size; at++) filter.push(at % 2 ? ' ' : '1')
  }
  assertLinear('figures', push, 1_000)
  const filter = redactFilter(redaction())
  const pieces = [...'card 4111 1111 1111 1111, ok'].map((character) => filter.push(character))
  assert.equal(pieces.join('') + filter.end(), 'card [CARD_1], ok')
})

test('the end of a body that comes one byte at a time', () => {
  const add = (size: number) => {
    const tail = new UsageTail()
    for (let at = 0; at < size; at++) tail.add(Buffer.of(97))
    return tail.takeText().length
  }
  assert.ok(add(200_000) < 3 * 65_536, 'only the end is kept')
  assertLinear('bytes', add, 100_000)
})

test('the sandbox writes no document that takes more than its steps, whatever stands for a count', () => {
  const endless = { type: 'array', minItems: 1e12, items: {} }
  for (const minProperties of ['x', -1e12, null, [], {}, Number.NaN]) {
    const schema = { type: 'object', minProperties, required: ['a'], properties: { a: endless } }
    assert.deepEqual(documentFromSchema(schema, 'text'), {}, String(minProperties))
  }
  const long = 'x'.repeat(1_000_000)
  for (const items of [{ const: long }, { enum: [{ [long]: long }] }, { required: [long] }])
    assert.deepEqual(documentFromSchema({ type: 'array', minItems: 15_000, items }, 'text'), {})
})
