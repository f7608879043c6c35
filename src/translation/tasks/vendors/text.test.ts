import assert from 'node:assert/strict'
import { test } from 'node:test'
import { PLACED } from '../http/fixtures/recording.ts'
import { listAt, valueAt } from '../results/loose-fields.ts'
import { failureOfAdapter, jsonOf, linesOf, runAdapter, refusalAnswer } from './fixtures/run-adapter.ts'

test('sapling tells machines by sentence, and gets the key where its own clients send it', async () => {
  const params = { key: 'mine', version: '20240606' }
  const { requests, output, units } = await runAdapter('text/ai_detection/sapling', { text: 'grüße 😀' }, { params })
  assert.deepEqual(linesOf(requests), ['POST /aidetect'])
  assert.deepEqual(jsonOf(requests), { version: '20240606', text: 'grüße 😀', sent_scores: true, key: PLACED })
  assert.equal(requests[0]?.headers.authorization, undefined)
  assert.equal(valueAt(output, 'ai_score'), 0.4612)
  assert.deepEqual(valueAt(output, 'items', 1), {
    text: 'My grandmother sold figs by the harbour.',
    prediction: 'original',
    ai_score: 0.1123,
    ai_score_detail: 0.1123,
  })
  assert.equal(units, 7)
})

test('winston says how human a text is: we say the contrary', async () => {
  const { requests, output } = await runAdapter(
    'text/ai_detection/winstonai',
    { text: 'x' },
    { params: { version: '4.0' } },
  )
  assert.deepEqual(linesOf(requests), ['POST /ai-content-detection'])
  assert.deepEqual(jsonOf(requests), { version: '4.0', text: 'x', sentences: true })
  assert.deepEqual(
    [valueAt(output, 'ai_score'), valueAt(output, 'items', 0, 'ai_score'), valueAt(output, 'items', 0, 'prediction')],
    [0.46, 0.81, 'ai-generated'],
  )
})

test('a text that is known to be too long is not sent', async () => {
  const answer = refusalAnswer(200, {})
  const long = 'x'.repeat(200_001)
  for (const provider of ['sapling', 'winstonai']) {
    const failure = await failureOfAdapter(`text/ai_detection/${provider}`, { text: long }, answer)
    assert.deepEqual([failure.status, failure.code], [422, 'text_too_long'])
  }
})

test('plagiarism: a passage is listed once, with all its sources', async () => {
  const { requests, output } = await runAdapter('text/plagia_detection/winstonai', { text: 'It was', title: 'Novel' })
  assert.deepEqual([linesOf(requests), jsonOf(requests)], [['POST /plagiarism'], { text: 'It was' }])
  assert.equal(valueAt(output, 'plagia_score'), 0.71)
  assert.deepEqual(
    listAt(output, 'items').map((item) => [valueAt(item, 'text'), listAt(item, 'candidates').length]),
    [
      ['It was the best of times,', 2],
      ['it was the worst of times.', 1],
    ],
  )
  assert.deepEqual(valueAt(output, 'items', 0, 'candidates', 1), {
    url: 'https://quotes.example/dickens',
    plagia_score: 0.31,
    prediction: 'not plagiarized',
    plagiarized_text: 'It was the best of times,',
  })
})

test('spelling: places are those of our text, though sapling counts characters', async () => {
  const text = '😀 wrld'
  const edit = { sentence: text, sentence_start: 0, start: 2, end: 6, replacement: 'world', id: '1' }
  const answer = refusalAnswer(200, { edits: [edit], candidates: { wrld: ['wild', 'world'] } })
  const { requests, output } = await runAdapter('text/spell_check/sapling', { text, language: 'en-GB' }, {}, answer)
  assert.deepEqual(jsonOf(requests), { session_id: 'gatehouse', multiple_edits: true, lang: 'en', text, key: PLACED })
  const unnamed = await runAdapter('text/spell_check/sapling', { text, language: 'auto-detect' }, {}, answer)
  assert.equal(valueAt(jsonOf(unnamed.requests), 'lang'), 'auto')
  const suggestions = ['world', 'wild'].map((suggestion) => ({ suggestion, score: null }))
  assert.deepEqual(valueAt(output, 'items'), [{ text: 'wrld', type: null, offset: 3, length: 4, suggestions }])
})

test('spelling: prowritingaid names the last character of a mistake, and sells requests', async () => {
  const text = 'Hollo, wrld! How are yu?'
  const { requests, output, units } = await runAdapter('text/spell_check/prowritingaid', { text })
  assert.deepEqual(linesOf(requests), ['POST /text'])
  assert.deepEqual(jsonOf(requests), { language: 'en', style: 'General', reports: ['grammar'], text })
  assert.deepEqual(
    listAt(output, 'items').map((item) => ['text', 'offset', 'length'].map((key) => valueAt(item, key))),
    [
      ['wrld', 7, 4],
      ['yu', 21, 2],
    ],
  )
  assert.equal(units, 1)
  const late = await failureOfAdapter(
    'text/spell_check/prowritingaid',
    { text },
    refusalAnswer(200, { TaskId: '7', Result: null }),
  )
  assert.equal(late.kind, 'timeout')
})

test('sentiments: of mixed feelings the stronger pole', async () => {
  const { requests, output } = await runAdapter('text/sentiment_analysis/sapling', { text: 'x', language: 'en' })
  assert.deepEqual([linesOf(requests), jsonOf(requests)], [['POST /sentiment'], { text: 'x', key: PLACED }])
  assert.deepEqual(output, {
    general_sentiment: 'Positive',
    general_sentiment_rate: 0.58,
    items: [
      { segment: 'The room was lovely.', sentiment: 'Positive', sentiment_rate: 0.9612 },
      { segment: 'Breakfast was cold.', sentiment: 'Negative', sentiment_rate: 0.41 },
    ],
  })
})

test('refusals and nonsense are told apart', async () => {
  const rows: [string, number, unknown, string][] = [
    ['text/ai_detection/sapling', 403, { msg: 'Invalid key' }, 'auth'],
    ['text/ai_detection/sapling', 429, { msg: 'Slow down' }, 'rate_limited'],
    ['text/ai_detection/winstonai', 400, { error: 'Bad request', description: 'Too short' }, 'bad_request'],
    ['text/ai_detection/winstonai', 402, { error: 'Insufficient credits' }, 'auth'],
    ['text/plagia_detection/winstonai', 500, '<html>', 'server_error'],
    ['text/spell_check/prowritingaid', 401, { Message: 'Unauthorised' }, 'auth'],
    ['text/ai_detection/sapling', 200, { score: 7, sentence_scores: [] }, 'garbage'],
    ['text/ai_detection/winstonai', 200, { score: 'human' }, 'garbage'],
    ['text/plagia_detection/winstonai', 200, { result: {} }, 'garbage'],
    ['text/sentiment_analysis/sapling', 200, { sents: ['a'], results: [], overall: [[0.5, 'POSITIVE']] }, 'garbage'],
  ]
  for (const [address, status, json, kind] of rows)
    assert.equal(
      (await failureOfAdapter(address, { text: 'x' }, refusalAnswer(status, json))).kind,
      kind,
      `${address} ${status}`,
    )
})
