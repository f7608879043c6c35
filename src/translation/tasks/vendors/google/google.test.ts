import assert from 'node:assert/strict'
import { test } from 'node:test'
import transcribe from '../../audio/speech_to_text_async/google.ts'
import speak from '../../audio/tts/google.ts'
import { failureOf, refused } from '../../http/fixtures/failure-of.ts'
import { fileOf, played, recordingOf, shown, taskOf, toolsAnswering } from '../../http/fixtures/recording.ts'
import { EXAMPLE_PNG } from '../../example-files.ts'
import explicit from '../../image/explicit_content/google.ts'
import findFaces from '../../image/face_detection/google.ts'
import findLogos from '../../image/logo_detection/google.ts'
import findObjects from '../../image/object_detection/google.ts'
import parseBill from '../../ocr/financial_parser/google.ts'
import read from '../../ocr/ocr/google.ts'
import readLong from '../../ocr/ocr_async/google.ts'
import readTables from '../../ocr/ocr_tables_async/google.ts'
import anonymize from '../../text/anonymization/google.ts'
import moderate from '../../text/moderation/google.ts'
import entities from '../../text/named_entity_recognition/google.ts'
import sentiment from '../../text/sentiment_analysis/google.ts'
import topics from '../../text/topic_extraction/google.ts'
import translate from '../../translation/automatic_translation/google.ts'
import translateDocument from '../../translation/document_translation/google.ts'
import detect from '../../translation/language_detection/google.ts'
import film from '../../video/generation_async/google.ts'

const PNG = fileOf('a.png', 'image/png', Buffer.from(EXAMPLE_PNG, 'base64'))
const content = EXAMPLE_PNG
const v1 = { type: 'PLAIN_TEXT', content: 'a', language: 'en' }
const v2 = { type: 'PLAIN_TEXT', content: 'a', languageCode: 'en' }
const TEXT = { text: 'a', language: 'en' }

/** One call each: the service, the path, and what is asked. */
const CALLS: [string, Parameters<typeof played>[1], object, service: string, path: string, body: object][] = [
  ['text/moderation/google', moderate, TEXT, 'language', '/v2/documents:moderateText', { document: v2 }],
  [
    'text/named_entity_recognition/google',
    entities,
    TEXT,
    'language',
    '/v1/documents:analyzeEntities',
    { encodingType: 'UTF16', document: v1 },
  ],
  [
    'text/sentiment_analysis/google',
    sentiment,
    { text: 'a' },
    'language',
    '/v2/documents:analyzeSentiment',
    { encodingType: 'UTF16', document: { type: 'PLAIN_TEXT', content: 'a' } },
  ],
  ['text/topic_extraction/google', topics, TEXT, 'language', '/v2/documents:classifyText', { document: v2 }],
  ['translation/language_detection/google', detect, TEXT, 'translation', '/language/translate/v2/detect', { q: 'a' }],
  [
    'translation/automatic_translation/google',
    translate,
    { text: 'a', target_language: 'fr', source_language: 'auto-detect' },
    'translation',
    '/language/translate/v2',
    { format: 'text', target: 'fr', q: 'a' },
  ],
  ['image/explicit_content/google', explicit, {}, ...vision('SAFE_SEARCH_DETECTION')],
  ['image/face_detection/google', findFaces, {}, ...vision('FACE_DETECTION')],
  ['image/logo_detection/google', findLogos, {}, ...vision('LOGO_DETECTION')],
  ['image/object_detection/google', findObjects, {}, ...vision('OBJECT_LOCALIZATION')],
  ['ocr/ocr/google', read, { language: 'en' }, ...vision('DOCUMENT_TEXT_DETECTION', { languageHints: ['en'] })],
  ['ocr/ocr_async/google', readLong, {}, ...vision('DOCUMENT_TEXT_DETECTION')],
  ['ocr/ocr_tables_async/google', readTables, {}, 'form-parser', ':process', processed()],
  ['ocr/financial_parser/google', parseBill, {}, 'invoice-parser', ':process', processed()],
  ['ocr/financial_parser/google', parseBill, { document_type: 'receipt' }, 'expense-parser', ':process', processed()],
]

for (const [address, adapter, input, service, path, body] of CALLS) {
  test(`${address}: ${service}${path}`, async () => {
    const { requests } = await played(address, adapter, taskOf(input, { files: { file: PNG } }))
    const headers = { 'content-type': 'application/json', authorization: `Proof for ${service}` }
    assert.deepEqual(requests, [{ method: 'POST', path: `/${service}${path}`, headers, body }])
  })
}

test('texts: labels, judgements and topics in our words, charged by the piece', async () => {
  const moderated = await played('text/moderation/google', moderate, taskOf({ text: 'x'.repeat(101) }))
  assert.deepEqual([moderated.output.nsfw_likelihood_score, moderated.units], [0.7264, 200])
  const categories = moderated.output.items.map(({ category, subcategory }) => `${category}/${subcategory}`)
  assert.deepEqual(categories.slice(0, 6), [
    ...['Toxic/Toxic', 'Toxic/Insult', 'Toxic/Profanity', 'Toxic/Derogatory', 'Sexual/Sexual'],
    'Violence/GraphicViolenceOrGore',
  ])
  assert.ok(!categories.includes('Other/null'))
  const judged = await played('text/sentiment_analysis/google', sentiment, taskOf({ text: 'x' }))
  assert.deepEqual([judged.output.general_sentiment, judged.units], ['Positive', 1_000])
  assert.deepEqual(judged.output.items[1], {
    segment: 'Breakfast was cold.',
    sentiment: 'Negative',
    sentiment_rate: 0.79,
  })
  const about = await played('text/topic_extraction/google', topics, taskOf({ text: 'x' }))
  assert.deepEqual(about.output.items[0], { category: 'Finance/Banking', importance: 0.94 })
  const named = await played('text/named_entity_recognition/google', entities, taskOf({ text: 'x' }))
  assert.deepEqual(named.output.items.at(-1), { entity: '1891', category: 'DATE', importance: 0 })
})

test('personal data: found in the project of the operator, hidden here', async () => {
  const task = taskOf({ text: 'Write to Ada at ada@mail.example.' }, { params: { minLikelihood: 'LIKELY' } })
  const { output, requests } = await played('text/anonymization/google', anonymize, task)
  assert.equal(requests[0]?.path, '/dlp/content:inspect')
  assert.equal(requests[0]?.body.inspectConfig.minLikelihood, 'LIKELY')
  assert.equal(output.result, 'Write to *** at ****************.')
  assert.deepEqual(
    output.entities.map(({ subcategory, confidence_score }) => [subcategory, confidence_score]),
    [
      ['Name', 0.8],
      ['Email', 1],
    ],
  )
})

test('documents are read five pages at a time', async () => {
  const page = recordingOf('ocr/ocr_async/google').json as { responses: object[] }
  const answer = (count: number) => ({
    status: 200,
    headers: {},
    json: { responses: [{ totalPages: 7, responses: Array.from({ length: count }, () => page.responses[0]) }] },
  })
  const { tools, requests } = toolsAnswering({ answers: [answer(5), answer(2)] })
  const file = { ...fileOf('a.pdf', 'application/pdf', 'x'), pages: 7 }
  const { output, units } = await readLong.run(taskOf({ file: 'x' }, { files: { file } }), tools)
  assert.deepEqual([units, output.number_of_pages, output.pages.length], [7, 7, 7])
  assert.deepEqual(
    requests.map((request) => shown(request).body.requests[0].pages),
    [undefined, [6, 7]],
  )
  assert.deepEqual(
    output.pages[0]?.lines.map(({ text }) => text),
    ['Closed today', 'Back soon'],
  )
  assert.deepEqual(output.pages[0]?.lines[0]?.bounding_box, { left: 0.1, top: 0.2, width: 0.4, height: 0.05 })
})

test('bills and tables of Document AI', async () => {
  const task = taskOf({}, { files: { file: PNG } })
  const { output } = await played('ocr/financial_parser/google', parseBill, task)
  const [bill] = output.extracted_data
  assert.deepEqual([bill?.payment_information.total, bill?.local.currency_code], [1230, 'EUR'])
  assert.deepEqual([bill?.item_lines[0]?.quantity, bill?.item_lines[0]?.amount_line], [200, 1000])
  const tables = await played('ocr/ocr_tables_async/google', readTables, task)
  const rows = tables.output.pages[0]?.tables[0]?.rows.map(({ cells }) => cells.map(({ text }) => text))
  assert.deepEqual(rows, [
    ['Item', 'Price'],
    ['Lamp', '39.90'],
  ])
  const unsure = taskOf({ document_type: 'auto-detect' }, { files: { file: PNG } })
  await refused(played('ocr/financial_parser/google', parseBill, unsure), 422, 'document_type_needed')
})

test('faces: pixels become fractions, words become numbers', async () => {
  const { output } = await played('image/face_detection/google', findFaces, taskOf({}, { files: { file: PNG } }))
  const [face] = output.items
  assert.deepEqual(face?.bounding_box, { x_min: 0.25, x_max: 0.75, y_min: 0.125, y_max: 0.875 })
  assert.deepEqual(
    [face?.landmarks.left_eye, face?.landmarks.left_eyebrow_left],
    [
      [0.375, 0.375],
      [0.3125, 0.3125],
    ],
  )
  assert.deepEqual([face?.emotions.joy, face?.emotions.surprise, face?.accessories.headwear], [5, null, 0.6])
  const unknown = fileOf('a.webp', 'image/webp', 'RIFF')
  const blind = await played('image/face_detection/google', findFaces, taskOf({}, { files: { file: unknown } }))
  assert.equal(blind.output.items[0]?.bounding_box.x_min, null)
})

test('speech: the voice tells its language, and has to be of the kind that is paid for', async () => {
  const { requests, kept } = await played('audio/tts/google', speak, taskOf({ text: 'Hello' }))
  assert.equal(requests[0]?.path, '/texttospeech/v1/text:synthesize')
  assert.deepEqual(requests[0]?.body, {
    input: { text: 'Hello' },
    voice: { languageCode: 'en-US', name: 'en-US-Standard-A' },
    audioConfig: { audioEncoding: 'MP3' },
  })
  assert.equal(kept[0]?.type, 'audio/mpeg')
  const input = { text: 'Hallo', voice: 'de-DE-Wavenet-B', speed: 1.5, speaking_pitch: -50, audio_format: 'WAV' }
  const other = await played('audio/tts/google', speak, taskOf(input, { model: 'wavenet' }))
  assert.deepEqual(other.requests[0]?.body.audioConfig, { speakingRate: 1.5, pitch: -10, audioEncoding: 'LINEAR16' })
  assert.equal(other.requests[0]?.body.voice.languageCode, 'de-DE')
  const unnamed = await played('audio/tts/google', speak, taskOf({ text: 'Hello', voice: '' }))
  assert.equal(unnamed.requests[0]?.body.voice.name, 'en-US-Standard-A')
  await refused(played('audio/tts/google', speak, taskOf(input)), 422, 'voice_of_other_model')
  await refused(played('audio/tts/google', speak, taskOf({ text: 'x' }, { model: 'best' })), 422, 'unknown_model')
})

test('recordings: put into the bucket, recognised, taken away', async () => {
  const file = fileOf('a.mp3', 'audio/mpeg', 'sound')
  const task = taskOf({ file: 'x', profanity_filter: true, vocabulary: ['Ada'] }, { files: { file } })
  const { requests, output, units } = await played('audio/speech_to_text_async/google', transcribe, task)
  const { config, files } = requests[1]?.body ?? {}
  assert.equal(requests[1]?.path, '/speech/recognizers/_:batchRecognize')
  assert.deepEqual(files, [{ uri: `gs:/${requests[0]?.path}` }])
  assert.deepEqual([config.languageCodes, config.model, config.features.profanityFilter], [['auto'], 'chirp_3', true])
  assert.deepEqual(config.adaptation.phraseSets[0].inlinePhraseSet.phrases, [{ value: 'Ada' }])
  assert.match(requests[2]?.path ?? '', /^\/speech-operations\/projects\/\d+\/locations\/us\/operations\//)
  assert.equal(`${requests[4]?.method} ${requests[4]?.path}`, `DELETE ${requests[0]?.path}`)
  assert.deepEqual([output.text, output.diarization.total_speakers, units], ['Hello. Hi there.', 2, 4])
  const json = { done: true, error: { code: 3, message: 'Audio is empty' } }
  const { tools } = toolsAnswering({ status: 200, headers: {}, json })
  const ticket = { operation: 'o', file: { keeper: 'storage', bucket: 'b', name: 'n' } as const }
  await refused(transcribe.poll(ticket, tools), 422, 'recognition_failed', /Audio is empty/)
})

test('documents are translated whole, and kept', async () => {
  const file = { ...fileOf('letter.pdf', 'application/pdf', 'letter'), pages: 3 }
  const task = taskOf({ file: 'x', target_language: 'fr', source_language: 'en' }, { files: { file } })
  const { requests, kept, units } = await played('translation/document_translation/google', translateDocument, task)
  assert.equal(requests[0]?.path, '/documents:translateDocument')
  assert.deepEqual(requests[0]?.body, {
    targetLanguageCode: 'fr',
    sourceLanguageCode: 'en',
    documentInputConfig: { content: Buffer.from('letter').toString('base64'), mimeType: 'application/pdf' },
  })
  assert.deepEqual([kept[0]?.name, units], ['letter.fr.pdf', 3])
})

test('films: started, asked for, fetched from the configured address', async () => {
  const task = taskOf({ text: 'Waves', duration: 5, dimension: '720x1280' }, { files: { file: PNG } })
  const { requests, units, kept } = await played('video/generation_async/google', film, task)
  assert.equal(requests[0]?.path, '/models/veo-3.1-generate-preview:predictLongRunning')
  assert.deepEqual(requests[0]?.body, {
    instances: [{ prompt: 'Waves', image: { bytesBase64Encoded: content, mimeType: 'image/png' } }],
    parameters: { durationSeconds: 6, aspectRatio: '9:16', resolution: '720p' },
  })
  assert.equal(requests.at(-1)?.path, '/files/9r2o8yq4b1x7:download?alt=media')
  assert.deepEqual([kept[0]?.type, units], ['video/mp4', 6])
  const filtered = { done: true, response: { generateVideoResponse: { raiMediaFilteredReasons: ['Not this.'] } } }
  const { tools } = toolsAnswering({ status: 200, headers: {}, json: filtered })
  assert.equal((await failureOf(film.poll({ operation: 'o', seconds: 6 }, tools))).kind, 'content_policy')
})

test('what it says when it refuses', async () => {
  const error = (code: number, status: string, reason?: string) => ({
    error: { code, message: 'Something.', status, ...(reason && { details: [{ reason, domain: 'googleapis.com' }] }) },
  })
  const rows: [number, object, string][] = [
    [400, error(400, 'INVALID_ARGUMENT'), 'bad_request'],
    [400, error(400, 'INVALID_ARGUMENT', 'API_KEY_INVALID'), 'auth'],
    [403, error(403, 'PERMISSION_DENIED', 'SERVICE_DISABLED'), 'auth'],
    [429, error(429, 'RESOURCE_EXHAUSTED'), 'rate_limited'],
    [503, error(503, 'UNAVAILABLE'), 'overloaded'],
  ]
  for (const [status, json, kind] of rows) {
    const { tools } = toolsAnswering({ status, headers: {}, json })
    assert.equal((await failureOf(moderate.run(taskOf({ text: 'x' }), tools))).kind, kind, JSON.stringify(json))
  }
  const json = { responses: [{ error: { code: 3, message: 'Bad image data.' } }] }
  const { tools } = toolsAnswering({ status: 200, headers: {}, json })
  const task = taskOf({ file: 'x' }, { files: { file: PNG } })
  await refused(explicit.run(task, tools), 422, 'not_annotated', /Bad image data/)
})

function vision(type: string, imageContext?: object): [string, string, object] {
  const request = { ...(imageContext && { imageContext }), image: { content }, features: [{ type }] }
  return ['vision', '/v1/images:annotate', { requests: [request] }]
}

function processed() {
  return { rawDocument: { content, mimeType: 'image/png' } }
}
