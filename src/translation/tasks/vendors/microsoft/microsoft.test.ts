import assert from 'node:assert/strict'
import { test } from 'node:test'
import transcribe from '../../audio/speech_to_text_async/microsoft.ts'
import speak from '../../audio/tts/microsoft.ts'
import { failureOf, refused } from '../../http/fixtures/failure-of.ts'
import {
  CREDENTIAL,
  fileOf,
  played,
  recordingOf,
  type Recordings,
  shown,
  taskOf,
  toolsAnswering,
} from '../../http/fixtures/recording.ts'
import explicit from '../../image/explicit_content/microsoft.ts'
import findLogos from '../../image/logo_detection/microsoft.ts'
import findObjects from '../../image/object_detection/microsoft.ts'
import parseBill from '../../ocr/financial_parser/microsoft.ts'
import parseIdentity from '../../ocr/identity_parser/microsoft.ts'
import read from '../../ocr/ocr/microsoft.ts'
import readLong from '../../ocr/ocr_async/microsoft.ts'
import readTables from '../../ocr/ocr_tables_async/microsoft.ts'
import anonymize from '../../text/anonymization/microsoft.ts'
import keywords from '../../text/keyword_extraction/microsoft.ts'
import moderate from '../../text/moderation/microsoft.ts'
import entities from '../../text/named_entity_recognition/microsoft.ts'
import sentiment from '../../text/sentiment_analysis/microsoft.ts'
import translate from '../../translation/automatic_translation/microsoft.ts'
import translateDocument from '../../translation/document_translation/microsoft.ts'
import detect from '../../translation/language_detection/microsoft.ts'

const PNG = fileOf('a.png', 'image/png', 'image')
const IMAGE = Buffer.from('image').toString('base64')
const DOCX = 'application/vnd.openxmlformats-officedocument.wordprocessingml.document'
const TEXT = { text: 'a', language: 'en' }
const ANALYZE = '/language/:analyze-text?api-version=2023-04-01'
const COUNTED = { stringIndexType: 'Utf16CodeUnit' }

/** One call each: the path, and what is asked. */
const CALLS: [string, Parameters<typeof played>[1], object, path: string, body: unknown][] = [
  ['text/named_entity_recognition/microsoft', entities, TEXT, ANALYZE, analysis('EntityRecognition')],
  ['text/sentiment_analysis/microsoft', sentiment, TEXT, ANALYZE, analysis('SentimentAnalysis')],
  ['text/keyword_extraction/microsoft', keywords, TEXT, ANALYZE, analysis('KeyPhraseExtraction')],
  ['text/anonymization/microsoft', anonymize, TEXT, ANALYZE, analysis('PiiEntityRecognition', COUNTED)],
  [
    'text/moderation/microsoft',
    moderate,
    TEXT,
    '/contentsafety/text:analyze?api-version=2024-09-01',
    { text: 'a', outputType: 'EightSeverityLevels' },
  ],
  [
    'image/explicit_content/microsoft',
    explicit,
    {},
    '/contentsafety/image:analyze?api-version=2024-09-01',
    { image: { content: IMAGE }, outputType: 'FourSeverityLevels' },
  ],
  [
    'translation/automatic_translation/microsoft',
    translate,
    { text: 'a', target_language: 'fr', source_language: 'en' },
    '/translator/text/v3.0/translate?api-version=3.0&to=fr&from=en',
    [{ Text: 'a' }],
  ],
  [
    'image/object_detection/microsoft',
    findObjects,
    {},
    '/computervision/imageanalysis:analyze?features=objects&api-version=2024-02-01',
    'image',
  ],
  ['image/logo_detection/microsoft', findLogos, {}, '/vision/v3.2/analyze?visualFeatures=Brands', 'image'],
]

for (const [address, adapter, input, path, body] of CALLS) {
  test(`${address}: ${path.replace(/\?.*/, '')}`, async () => {
    const { requests } = await played(address, adapter, taskOf(input, { files: { file: PNG } }))
    const type = body === 'image' ? 'application/octet-stream' : 'application/json'
    const headers = { 'content-type': type, authorization: `Bearer ${CREDENTIAL}` }
    assert.deepEqual(requests, [{ method: 'POST', path, headers, body }])
  })
}

const DOCUMENTS: [string, Parameters<typeof played>[1], object, model: string][] = [
  ['ocr/ocr/microsoft', read, {}, 'prebuilt-read'],
  ['ocr/ocr_async/microsoft', readLong, {}, 'prebuilt-read'],
  ['ocr/ocr_tables_async/microsoft', readTables, {}, 'prebuilt-layout'],
  ['ocr/financial_parser/microsoft', parseBill, {}, 'prebuilt-invoice'],
  ['ocr/identity_parser/microsoft', parseIdentity, {}, 'prebuilt-idDocument'],
]

for (const [address, adapter, input, model] of DOCUMENTS) {
  test(`${address}: ${model} is started, and asked at the configured address only`, async () => {
    const { requests } = await played(address, adapter, taskOf(input, { files: { file: PNG } }))
    const [start, ...polls] = requests
    assert.equal(start?.path, `/documentintelligence/documentModels/${model}:analyze?api-version=2024-11-30`)
    assert.deepEqual(start?.body, { base64Source: IMAGE })
    assert.ok(polls.length > 0)
    for (const { method, path } of polls) {
      assert.equal(method, 'GET')
      assert.match(path, /^\/documentintelligence\/documentModels\/[\w-]+\/analyzeResults\/3b31320d/)
    }
  })
}

test('a language that the caller did not name is detected first', async () => {
  const [detected, found] = ['translation/language_detection/microsoft', 'text/keyword_extraction/microsoft'].map(
    recordingOf,
  )
  const { tools, requests } = toolsAnswering({ answers: [detected!, found!] })
  const { output } = await keywords.run(taskOf({ text: 'Le pont', language: 'auto-detect' }), tools)
  const bodies = requests.map((request) => shown(request).body)
  assert.deepEqual(
    bodies.map(({ kind }) => kind),
    ['LanguageDetection', 'KeyPhraseExtraction'],
  )
  assert.equal(bodies[1]?.analysisInput.documents[0].language, 'fr')
  assert.deepEqual(output.items[0], { keyword: 'new bridge', importance: null })
  const alone = await played('translation/language_detection/microsoft', detect, taskOf({ text: 'x' }))
  assert.deepEqual(alone.output.items, [{ language: 'fr', display_name: 'French', confidence: 0.99 }])
})

test('texts: judgements in our words, charged by the thousand characters', async () => {
  const judged = await played(
    'text/sentiment_analysis/microsoft',
    sentiment,
    taskOf({ text: 'x'.repeat(1_001), language: 'en' }),
  )
  assert.deepEqual(
    [judged.output.general_sentiment, judged.output.general_sentiment_rate, judged.units],
    ['Positive', 0.5, 2_000],
  )
  assert.equal(judged.output.items[1]?.sentiment_rate, 0.97)
  const hidden = await played(
    'text/anonymization/microsoft',
    anonymize,
    taskOf({ text: 'Write to Ada at ada@mail.example.', language: 'en' }),
  )
  assert.equal(hidden.output.result, 'Write to *** at ****************.')
  const moderated = await played('text/moderation/microsoft', moderate, taskOf({ text: 'x' }))
  assert.deepEqual(
    moderated.output.items.map(({ label, subcategory, likelihood }) => [label, subcategory, likelihood]),
    [
      ['Hate', 'Hate', 2],
      ['SelfHarm', 'PhysicalViolence', 1],
      ['Sexual', 'Sexual', 1],
      ['Violence', 'Violence', 4],
    ],
  )
  await refused(
    played('text/moderation/microsoft', moderate, taskOf({ text: 'x'.repeat(10_001) })),
    422,
    'text_too_long',
  )
})

test('documents: places, lines, tables, bills and identities', async () => {
  const task = taskOf({}, { files: { file: PNG } })
  const { output: text } = await played('ocr/ocr/microsoft', read, task)
  assert.deepEqual(text.bounding_boxes[0], { text: 'MIND', left: 0.1, top: 0.4, width: 0.2, height: 0.1 })
  const { output: long } = await played('ocr/ocr_async/microsoft', readLong, task)
  assert.deepEqual(
    long.pages[0]?.lines[0]?.words.map((word) => word.text),
    ['Closed', 'today'],
  )
  const { output: tables } = await played('ocr/ocr_tables_async/microsoft', readTables, task)
  const rows = tables.pages[0]?.tables[0]?.rows.map(({ cells }) => cells.map((cell) => [cell.text, cell.is_header]))
  assert.deepEqual(rows?.[1], [
    ['Lamp', false],
    ['39.90', false],
  ])
  const { output: bills } = await played('ocr/financial_parser/microsoft', parseBill, task)
  const [bill] = bills.extracted_data
  assert.deepEqual(
    [bill?.payment_information.total, bill?.bank.iban, bill?.item_lines[0]?.quantity, bill?.local.currency_code],
    [1230, 'IE29AIBK93115212345678', 200, 'EUR'],
  )
  const { output: cards } = await played('ocr/identity_parser/microsoft', parseIdentity, task)
  const [card] = cards.extracted_data
  assert.deepEqual(
    [card?.given_names.map(({ value }) => value), card?.document_type.value, card?.country?.alpha3],
    [['Maëlys', 'Gaëlle'], 'Passport', 'fra'],
  )
})

test('a caller who waits is answered when the analysis is done, and told when it failed', async () => {
  const [start, done] = allOf('ocr/ocr/microsoft').answers
  const running = { status: 200, headers: {}, json: { status: 'running' } }
  const patient = toolsAnswering({ answers: [start!, running, done!] })
  const { output } = await read.run(taskOf({ file: 'x' }, { files: { file: PNG } }), patient.tools)
  assert.deepEqual([output.text, patient.requests.length], ['MIND THE GAP', 3])
  const failed = { status: 'failed', error: { code: 'InvalidContent', message: 'The file is corrupted.' } }
  const { tools } = toolsAnswering({ answers: [start!, { status: 200, headers: {}, json: failed }] })
  const run = read.run(taskOf({ file: 'x' }, { files: { file: PNG } }), tools)
  await refused(run, 422, 'InvalidContent', /corrupted/)
  const nowhere = toolsAnswering({ status: 202, headers: {}, json: {} })
  assert.equal(
    (await failureOf(read.run(taskOf({ file: 'x' }, { files: { file: PNG } }), nowhere.tools))).kind,
    'garbage',
  )
})

test('speech: words in SSML cannot leave it', async () => {
  const input = { text: '</voice><break/> & "so"', voice: 'de-DE-KatjaNeural', speed: 0.8, speaking_pitch: 10 }
  const { requests, kept } = await played('audio/tts/microsoft', speak, taskOf(input))
  const { path, headers, body } = requests[0]!
  assert.equal(path, '/tts/cognitiveservices/v1')
  assert.equal(headers['x-microsoft-outputformat'], 'audio-24khz-48kbitrate-mono-mp3')
  assert.equal(
    body,
    '<speak version="1.0" xmlns="http://www.w3.org/2001/10/synthesis" xml:lang="de-DE"><voice name="de-DE-KatjaNeural">' +
      '<prosody rate="80%" pitch="+10%">&#60;/voice&#62;&#60;break/&#62; &#38; &#34;so&#34;</prosody></voice></speak>',
  )
  assert.equal(kept[0]?.name, 'speech.mp3')
  const hd = { text: 'x', voice: 'en-US-Ava:DragonHDLatestNeural' }
  await refused(played('audio/tts/microsoft', speak, taskOf(hd)), 422, 'voice_of_other_model')
  assert.equal((await played('audio/tts/microsoft', speak, taskOf(hd, { model: 'neural-hd' }))).units, 1)
})

test('recordings: a form with the sound and what to do with it', async () => {
  const file = fileOf('a.mp3', 'audio/mpeg', 'sound')
  const task = taskOf({ file: 'x', language: 'pt', speakers: 3, vocabulary: ['Ada'] }, { files: { file } })
  const { tools, requests } = toolsAnswering(recordingOf('audio/speech_to_text_async/microsoft'))
  const { output, units } = await transcribe.run(task, tools)
  const { headers, body } = requests[0]!
  const form = await new Response(new Uint8Array(body as Uint8Array), { headers }).formData()
  assert.deepEqual(JSON.parse(String(form.get('definition'))), {
    locales: ['pt-BR'],
    phraseList: { phrases: ['Ada'] },
    diarization: { enabled: true, maxSpeakers: 3 },
    profanityFilterMode: 'None',
  })
  assert.equal((form.get('audio') as File).name, 'a.mp3')
  assert.deepEqual([output.diarization.total_speakers, units], [2, 4])
  assert.deepEqual(output.diarization.entries[2], {
    segment: 'there.',
    start_time: '1.42',
    end_time: '1.77',
    speaker: 2,
    confidence: 0.88,
  })
})

test('documents are translated whole, and kept', async () => {
  const file = fileOf('letter.docx', DOCX, 'letter')
  const task = taskOf({ file: 'x', target_language: 'fr' }, { files: { file } })
  const { requests, kept } = await played('translation/document_translation/microsoft', translateDocument, task)
  assert.equal(requests[0]?.path, '/translator/document:translate?targetLanguage=fr&api-version=2024-05-01')
  assert.match(requests[0]?.body, /name="document"; filename="letter.docx"/)
  assert.equal(kept[0]?.name, 'letter.fr.docx')
  const pdf = taskOf({ file: 'x', target_language: 'fr' }, { files: { file: fileOf('a.pdf', 'application/pdf', 'x') } })
  await refused(
    played('translation/document_translation/microsoft', translateDocument, pdf),
    415,
    'unsupported_media_type',
  )
})

test('what it says when it refuses', async () => {
  const rows: [number, object, string][] = [
    [401, { error: { code: '401', message: 'Access denied due to invalid subscription key' } }, 'auth'],
    [429, { error: { code: '429', message: 'Requests have exceeded call rate limit' } }, 'rate_limited'],
    [400, { error: { code: 'InvalidRequestBody', message: 'The request body is invalid' } }, 'bad_request'],
    [400, { error: { code: 400036, message: 'The target language is not valid.' } }, 'bad_request'],
  ]
  for (const [status, json, kind] of rows) {
    const { tools } = toolsAnswering({ status, headers: {}, json })
    assert.equal((await failureOf(moderate.run(taskOf({ text: 'x' }), tools))).kind, kind)
  }
  const results = {
    documents: [],
    errors: [{ id: '1', error: { code: 'InvalidArgument', message: 'Unsupported language' } }],
  }
  const { tools } = toolsAnswering({ status: 200, headers: {}, json: { results } })
  await refused(entities.run(taskOf(TEXT), tools), 422, 'InvalidArgument', /Unsupported language/)
})

function allOf(address: string): Recordings {
  return recordingOf(address) as unknown as Recordings
}

function analysis(kind: string, parameters = {}) {
  return { kind, parameters, analysisInput: { documents: [{ id: '1', text: 'a', language: 'en' }] } }
}
