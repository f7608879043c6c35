import assert from 'node:assert/strict'
import { test } from 'node:test'
import { ANSWER_WIRES, type AnswerWire, ending, type Step } from '../fakes/answer-ends.ts'
import { answer } from '../fakes/behaviours.ts'
import { sample, someOf } from '../soak/sample.ts'
import { askIn, CLIENT_FORMATS, type ClientFormat, type Told } from '../gateway/client-formats.ts'
import { API_KEY } from '../gateway/gateway-under-test.ts'
import { gatewayWithRows, rowPerDialect } from '../gateway/gateway-with-rows.ts'

// How an answer ended: properly, cut or failed, in every wire format of providers, told in every format of clients, whole and
// streamed. `npm test` tries some formats for each wire.

const { gateway, provider } = await gatewayWithRows({ ...rowPerDialect(), spare: { dialect: 'openai' } })

const CUT = ['length', 'max_tokens', 'max_output_tokens', 'token_limit', 'context_length_exceeded']
const UNKNOWN = ['wibble', 'other_things']
const FILTERED = ['content_filter', 'safety', 'guardrail_intervened']
const FAILED = ['overloaded', 'rate_limit', 'unavailable', 'preempted', 'error', 'insufficient_system_resource']

type Cell = { wire: AnswerWire; wireName: string; format: ClientFormat; isStream: boolean; isOwn: boolean }

let asked = 0

for (const [nr, [wireName, wire]] of Object.entries(ANSWER_WIRES).entries())
  for (const formatName of someOf(Object.keys(CLIENT_FORMATS), nr, 3)) {
    const format = CLIENT_FORMATS[formatName]!
    const isOwn = format.own === wireName
    const cells = [false, true].map((isStream): Cell => ({ wire, wireName, format, isStream, isOwn }))
    const title = `${wireName}, told as ${formatName}`

    test(`${title}: a proper end is one, and a limit, a filter or an unknown word is none`, async () => {
      for (const cell of cells) {
        const good = await told(cell, [{ text: 'Hi' }, { reason: wire.proper }])
        assert.deepEqual(good, { status: 200, text: 'Hi', end: format.words.proper, isError: false })
        for (const word of some([...CUT, ...UNKNOWN])) await assertEnd(cell, word, format.words.cut)
        for (const word of some(FILTERED)) await assertEnd(cell, word, format.words.filtered)
      }
    })

    test(`${title}: a word for a failure is an error, and another model takes over while that is possible`, async () => {
      for (const cell of cells)
        for (const word of some(FAILED)) {
          provider.next(ending(wire, wireName, cell.isStream, [{ reason: wire.word(word) }]))
          provider.always(spare(cell))
          const reply = await askIn(gateway.url, format, wire.model(asked++), cell.isStream, { fallbacks: ['spare/x'] })
          assert.deepEqual([reply.text, reply.end, reply.isError], ['Spare', format.words.proper, false], word)
        }
      const late = await told(cells[1]!, [{ text: 'Hi' }, { reason: wire.word(some(FAILED)[0]!) }])
      assert.deepEqual([late.end, late.isError], [null, true])
    })

    test(`${title}: a whole answer without a reason is passed on, and not as a complete one`, async () => {
      const reply = await told(cells[0]!, [{ text: 'Hi' }, { reason: null }])
      assert.deepEqual([reply.status, reply.text, reply.isError], [200, 'Hi', false])
      assert.equal(reply.end, isOwn ? null : format.words.cut)
      const streamed = await told(cells[1]!, [{ text: 'Hi' }])
      assert.deepEqual([streamed.end, streamed.isError], [null, true])
    })

    if (!wire.endsWithReason)
      test(`${title}: text after the reason is delivered, and the worse of two reasons counts`, async () => {
        const late = await told(cells[1]!, [{ text: 'Hi' }, { reason: wire.proper }, { text: ' there' }])
        assert.deepEqual(late, { status: 200, text: 'Hi there', end: format.words.proper, isError: false })
        const [proper, cut] = [{ reason: wire.proper }, { reason: wire.word('max_tokens') }]
        for (const steps of isOwn
          ? [[proper, cut]]
          : [
              [proper, cut],
              [cut, proper],
              [proper, { text: '!' }, cut],
            ]) {
          const reply = await told(cells[1]!, [{ text: 'Hi' }, ...steps])
          assert.deepEqual([reply.end, reply.isError], [isOwn ? cut.reason : format.words.cut, false])
          assert.match(reply.text, steps.length === 3 ? /^Hi!$/ : /^Hi$/)
        }
        const failed = await told(cells[1]!, [{ text: 'Hi' }, proper, { reason: wire.word('error') }])
        assert.ok(failed.isError)
      })
  }

test('Gemini’s word for no reason is none, in the middle of a stream and at its end', async () => {
  const [wire, unspecified] = [ANSWER_WIRES.gemini!, { reason: 'FINISH_REASON_UNSPECIFIED' }]
  const cell = { wire, wireName: 'gemini', format: CLIENT_FORMATS.chat!, isStream: true, isOwn: false }
  const good = await told(cell, [{ text: 'Hi' }, unspecified, { text: ' there' }, { reason: 'STOP' }])
  assert.deepEqual([good.text, good.end, good.isError], ['Hi there', 'stop', false])
  assert.ok((await told(cell, [{ text: 'Hi' }, unspecified])).isError)
  const whole = await told({ ...cell, isStream: false }, [{ text: 'Hi' }, unspecified])
  assert.deepEqual([whole.text, whole.end], ['Hi', 'length'])
})

test('the provider’s own word goes with a chat, and a note says why', async () => {
  const body = ANSWER_WIRES.openai!.whole('Hi', 'wibble')
  provider.always((_, response) => void response.writeHead(200).end(JSON.stringify(body)))
  const headers = {
    authorization: `Bearer ${API_KEY}`,
    'content-type': 'application/json',
    'x-gatehouse-metadata': 'enabled',
  }
  const asking = { method: 'POST', headers, body: JSON.stringify(CLIENT_FORMATS.chat!.body('my-openai/noted', false)) }
  const reply = await (await fetch(`${gateway.url}/v3/chat/completions`, asking)).text()
  assert.match(reply, /"finish_reason":"length","native_finish_reason":"wibble"/)
  assert.match(reply, /"field":"finish_reason","action":"translated","reason":"the provider ended with wibble/)
})

/** Some words for each cell, others for the next one. */
function some(words: readonly string[]): string[] {
  return someOf(words, asked, sample(1, words.length))
}

async function assertEnd(cell: Cell, word: string, expected: string): Promise<void> {
  const { wire, isOwn, format } = cell
  const reply = await told(cell, [{ text: 'Hi' }, { reason: wire.word(word) }])
  const end = isOwn && format.own !== 'responses' ? wire.word(word) : expected
  assert.deepEqual(reply, { status: 200, text: 'Hi', end, isError: false }, word)
}

async function told({ wire, wireName, format, isStream }: Cell, steps: readonly Step[]): Promise<Told> {
  provider.reset()
  provider.always(ending(wire, wireName, isStream, steps))
  return await askIn(gateway.url, format, wire.model(asked++), isStream)
}

function spare({ isStream }: Cell) {
  const steps = [{ text: 'Spare' }, { reason: 'stop' }]
  return isStream ? ending(ANSWER_WIRES.openai!, 'openai', true, steps) : answer({ content: 'Spare' })
}
