import assert from 'node:assert/strict'
import { test } from 'node:test'
import transcribe from '../../audio/speech_to_text_async/amazon.ts'
import speak from '../../audio/tts/amazon.ts'
import { failureOf, refused } from '../../http/fixtures/failure-of.ts'
import { fileOf, played, recordingOf, shown, taskOf, toolsAnswering } from '../../http/fixtures/recording.ts'
import removeBackground from '../../image/background_removal/amazon.ts'
import explicit from '../../image/explicit_content/amazon.ts'
import findFaces from '../../image/face_detection/amazon.ts'
import parseBill from '../../ocr/financial_parser/amazon.ts'
import parseIdentity from '../../ocr/identity_parser/amazon.ts'
import read from '../../ocr/ocr/amazon.ts'
import readLong from '../../ocr/ocr_async/amazon.ts'
import readTables from '../../ocr/ocr_tables_async/amazon.ts'
import anonymize from '../../text/anonymization/amazon.ts'
import moderate from '../../text/moderation/amazon.ts'
import entities from '../../text/named_entity_recognition/amazon.ts'
import sentiment from '../../text/sentiment_analysis/amazon.ts'
import translateDocument from '../../translation/document_translation/amazon.ts'
import film from '../../video/generation_async/amazon.ts'
import { PNG, IMAGE, DOCX, inEnglish } from './fixtures/files.ts'
import { MB } from '../../../../base/units/units.ts'

const UUID = /gatehouse[/-][0-9a-f-]{36}/g

test('a language that the caller did not name is detected first', async () => {
  const [dominant, found] = ['translation/language_detection/amazon', 'text/named_entity_recognition/amazon'].map(
    recordingOf,
  )
  const { tools, requests } = toolsAnswering({ answers: [dominant!, found!] })
  await entities.run(taskOf({ text: 'Ce soir' }), tools)
  const [, second] = requests.map(shown)
  assert.deepEqual([requests.length, second?.body], [2, { Text: 'Ce soir', LanguageCode: 'fr' }])
  await entities.run(taskOf({ text: 'x', language: 'zh-TW' }), tools)
  assert.equal(shown(requests.at(-1)!).body.LanguageCode, 'zh-TW')
})

test('texts: what is charged, and places in characters that take two', async () => {
  const text = '😀 Write to Ada at ada@mail.example.'
  const task = taskOf({ text: text.slice(3), language: 'en' })
  const plain = await played('text/anonymization/amazon', anonymize, task)
  assert.equal(plain.output.result, 'Write to *** at ****************.')
  assert.equal(plain.units, 300)
  const json = { Entities: [{ Type: 'NAME', Score: 1, BeginOffset: 11, EndOffset: 14 }] }
  const { tools } = toolsAnswering({ status: 200, headers: {}, json })
  const { output } = await anonymize.run(taskOf({ text, language: 'en' }), tools)
  assert.deepEqual(
    output.entities.map(({ offset, length, content, subcategory }) => [offset, length, content, subcategory]),
    [[12, 3, 'Ada', 'Name']],
  )
  const mixed = await played('text/sentiment_analysis/amazon', sentiment, taskOf(inEnglish('x'.repeat(301))))
  assert.deepEqual(mixed.output, { general_sentiment: 'Positive', general_sentiment_rate: 0.2214, items: [] })
  assert.equal(mixed.units, 400)
})

test('moderation: long texts go in pieces, and the worst piece counts', async () => {
  const labels = (Score: number) => ({ Labels: [{ Name: 'INSULT', Score }], Toxicity: 0.1 })
  const json = { ResultList: [labels(0.2), labels(0.9)] }
  const { tools, requests } = toolsAnswering({ status: 200, headers: {}, json })
  const { output } = await moderate.run(taskOf({ text: 'é'.repeat(600) }), tools)
  const segments = shown(requests[0]!).body.TextSegments as { Text: string }[]
  assert.deepEqual(
    segments.map(({ Text }) => Text.length),
    [500, 100],
  )
  assert.deepEqual(output.items[0], {
    label: 'INSULT',
    likelihood: 5,
    likelihood_score: 0.9,
    category: 'Toxic',
    subcategory: 'Insult',
  })
  await refused(moderate.run(taskOf({ text: 'x'.repeat(10_001) }), tools), 422, 'text_too_long')
})

test('a bill: fields find their places, and amounts are numbers', async () => {
  const { output, units } = await played('ocr/financial_parser/amazon', parseBill, taskOf({}, { files: { file: PNG } }))
  const [bill] = output.extracted_data
  assert.equal(bill?.merchant_information.address, '1 Mill Lane Dublin')
  assert.deepEqual([bill?.payment_information.total, bill?.payment_information.total_tax], [1230, 230])
  assert.equal(bill?.local.currency_code, 'EUR')
  const line = bill?.item_lines[0]
  assert.deepEqual(
    [line?.description, line?.quantity, line?.unit_price, line?.amount_line],
    ['Paper, A4', 200, 5, 1000],
  )
  assert.equal(units, 1)
})

test('an identity document: names and dates are written one way', async () => {
  const { output } = await played('ocr/identity_parser/amazon', parseIdentity, taskOf({}, { files: { file: PNG } }))
  const [card] = output.extracted_data
  assert.deepEqual(
    [card?.last_name.value, card?.given_names.map(({ value }) => value), card?.expire_date.value],
    ['MARTIN', ['Maëlys'], '2030-02-11'],
  )
})

test('long documents: put into the bucket, read to the last block, taken away', async () => {
  const { output, units, requests } = await played(
    'ocr/ocr_async/amazon',
    readLong,
    taskOf({}, { files: { file: PNG } }),
  )
  assert.deepEqual(
    requests.map(
      ({ method, path, headers }) => `${method} ${path.replace(UUID, 'NAME')} ${headers['x-amz-target'] ?? ''}`,
    ),
    [
      'PUT /s3/NAME ',
      'POST /textract/ Textract.StartDocumentTextDetection',
      'POST /textract/ Textract.GetDocumentTextDetection',
      'POST /textract/ Textract.GetDocumentTextDetection',
      'DELETE /s3/NAME ',
      'POST /textract/ Textract.GetDocumentTextDetection',
    ],
  )
  const { S3Object } = requests[1]?.body.DocumentLocation ?? {}
  assert.equal(S3Object.Bucket, 's3')
  assert.equal(requests[0]?.path, `/s3/${S3Object.Name}`)
  assert.equal(output.raw_text, 'Closed today\nBack soon')
  assert.deepEqual([output.pages.length, units], [2, 2])
})

test('tables: cells by row, words joined, headings known', async () => {
  const { output } = await played('ocr/ocr_tables_async/amazon', readTables, taskOf({}, { files: { file: PNG } }))
  const [page] = output.pages
  const cells = page?.tables[0]?.rows.map((row) => row.cells.map(({ text, is_header }) => [text, is_header]))
  assert.deepEqual(cells, [
    [
      ['Item', true],
      ['Price', true],
    ],
    [
      ['Desk lamp', false],
      ['39.90', false],
    ],
  ])
})

test('recordings: who spoke, and nothing stays in the bucket', async () => {
  const file = fileOf('a.mp3', 'audio/mpeg', 'sound')
  const task = taskOf({ file: 'x', language: 'en', speakers: 3 }, { files: { file } })
  const { output, units, requests } = await played('audio/speech_to_text_async/amazon', transcribe, task)
  const start = requests[1]?.body
  assert.deepEqual([start.LanguageCode, start.Settings], ['en-US', { ShowSpeakerLabels: true, MaxSpeakerLabels: 3 }])
  assert.equal(start.Media.MediaFileUri, `s3:/${requests[0]?.path}`)
  assert.equal(requests[4]?.path, `/s3/${start.OutputKey}`)
  assert.deepEqual(
    requests.slice(5).map(({ method, headers }) => headers['x-amz-target'] ?? method),
    ['Transcribe.DeleteTranscriptionJob', 'DELETE', 'DELETE'],
  )
  const { total_speakers, entries } = output.diarization
  assert.deepEqual([output.text, total_speakers, entries.length, units], ['Hello. Hi there.', 2, 3, 15])
  assert.deepEqual(entries[1], { segment: 'Hi', start_time: '1.2', end_time: '1.42', speaker: 2, confidence: 0.953 })
  const failed = { TranscriptionJob: { TranscriptionJobStatus: 'FAILED', FailureReason: 'Unsupported format' } }
  const { tools } = toolsAnswering({ status: 200, headers: {}, json: failed })
  const staged = { keeper: 's3', bucket: 'b', name: 'n' } as const
  const ticket = { job: 'j', file: staged, transcript: staged }
  await refused(transcribe.poll(ticket, tools), 422, 'job_failed', /Unsupported format/)
})

test('speech: plain text, or SSML where it is to sound otherwise; the provider says what it charges', async () => {
  const { units, requests, kept } = await played('audio/tts/amazon', speak, taskOf({ text: 'A & B' }))
  const fallback = { VoiceId: 'Joanna', Engine: 'standard', OutputFormat: 'mp3' }
  assert.deepEqual(requests[0]?.body, { ...fallback, Text: 'A & B', TextType: 'text' })
  assert.deepEqual([requests[0]?.path, units, kept[0]?.name], ['/polly/v1/speech', 68, 'speech.mp3'])
  const input = { text: 'A & B', voice: 'Vicki', speed: 1.2, speaking_volume: -20, audio_format: 'ogg' }
  const loud = await played('audio/tts/amazon', speak, taskOf(input, { model: 'neural' }))
  const Text = '<speak><prosody volume="-2dB"><prosody rate="120%">A &#38; B</prosody></prosody></speak>'
  const chosen = { VoiceId: 'Vicki', Engine: 'neural', OutputFormat: 'ogg_vorbis' }
  assert.deepEqual(loud.requests[0]?.body, { ...chosen, Text, TextType: 'ssml' })
  await refused(
    played('audio/tts/amazon', speak, taskOf({ text: 'x', audio_format: 'flac' })),
    422,
    'unsupported_audio_format',
  )
})

test('documents are translated whole, and kept', async () => {
  const file = fileOf('letter.docx', DOCX, 'letter')
  const task = taskOf({ file: 'x', target_language: 'fr' }, { files: { file } })
  const { requests, kept, output } = await played('translation/document_translation/amazon', translateDocument, task)
  assert.deepEqual(requests[0]?.body.Document, { Content: Buffer.from('letter').toString('base64'), ContentType: DOCX })
  assert.deepEqual([kept[0]?.name, kept[0]?.type], ['letter.fr.docx', DOCX])
  assert.equal(Buffer.from(output.file, 'base64').toString(), 'Madame, Monsieur,\n\nMerci pour votre lettre.\n')
})

test('pictures: a model of Bedrock removes the background, with the proof for Bedrock', async () => {
  const { requests, output } = await played(
    'image/background_removal/amazon',
    removeBackground,
    taskOf({ file: 'x' }, { files: { file: PNG } }),
  )
  assert.equal(requests[0]?.path, '/model/amazon.nova-canvas-v1%3A0/invoke')
  assert.match(requests[0]?.headers.authorization ?? '', /^Bearer /)
  assert.deepEqual(requests[0]?.body, { taskType: 'BACKGROUND_REMOVAL', backgroundRemovalParams: { image: IMAGE } })
  assert.equal(output.image_resource_url, 'https://gateway.example/files/1')
})

test('films: started, asked for, fetched from the bucket', async () => {
  const task = taskOf({ text: 'Waves', seed: 0 }, { files: { file: PNG } })
  const { requests, kept, units } = await played('video/generation_async/amazon', film, task)
  const { modelInput, outputDataConfig } = requests[0]?.body ?? {}
  assert.equal(modelInput.videoGenerationConfig.seed, 0)
  assert.deepEqual(modelInput.textToVideoParams.images, [{ format: 'png', source: { bytes: IMAGE } }])
  assert.match(outputDataConfig.s3OutputDataConfig.s3Uri, /^s3:\/\/s3\/gatehouse\//)
  assert.deepEqual(
    requests.slice(1).map(({ method, path }) => `${method} ${path.slice(0, 40)}`),
    [
      'GET /async-invoke/arn%3Aaws%3Abedrock%3Aus-e',
      'GET /async-invoke/arn%3Aaws%3Abedrock%3Aus-e',
      'GET /s3/gatehouse/1/s7ndw1fbqkhi/output.mp4',
      'DELETE /s3/gatehouse/1/s7ndw1fbqkhi/output.mp4',
      'DELETE /s3/gatehouse/1/s7ndw1fbqkhi/manifest.json',
      'DELETE /s3/gatehouse/1/s7ndw1fbqkhi/video-generation-status.json',
    ].map((line) => line.replace(/ (.{40}).*$/, ' $1')),
  )
  assert.deepEqual([kept[0]?.type, units], ['video/mp4', 6])
})

test('what it says when it refuses', async () => {
  const rows: [number, object, string][] = [
    [400, { __type: 'ThrottlingException', message: 'Rate exceeded' }, 'rate_limited'],
    [400, { __type: 'com.amazonaws.textract#ProvisionedThroughputExceededException' }, 'rate_limited'],
    [400, { __type: 'AccessDeniedException', Message: 'User: arn:aws:iam::1:user/x is not authorized' }, 'auth'],
    [403, { __type: 'UnrecognizedClientException', message: 'The security token is invalid' }, 'auth'],
    [400, { __type: 'TextSizeLimitExceededException', message: 'Too long' }, 'context_length'],
    [400, { __type: 'InvalidImageFormatException', Message: 'Request has invalid image format' }, 'bad_request'],
    [500, { __type: 'InternalServerException' }, 'server_error'],
  ]
  for (const [status, json, kind] of rows) {
    const { tools } = toolsAnswering({ status, headers: {}, json })
    const failure = await failureOf(explicit.run(taskOf({ file: 'x' }, { files: { file: PNG } }), tools))
    assert.equal(failure.kind, kind, JSON.stringify(json))
    assert.doesNotMatch(failure.message, /arn:/)
  }
  const headers = { 'x-amzn-errortype': 'ThrottlingException:http://internal.amazon.com/' }
  const { tools } = toolsAnswering({ status: 400, headers, json: { message: 'slow down' } })
  assert.equal((await failureOf(speak.run(taskOf({ text: 'x' }), tools))).kind, 'rate_limited')
})

test('files that it does not take are not sent', async () => {
  const gif = taskOf({ file: 'x' }, { files: { file: fileOf('a.gif', 'image/gif', 'x') } })
  const { tools, requests } = toolsAnswering(recordingOf('ocr/ocr/amazon'))
  await refused(
    explicit.run(gif, tools),
    415,
    'unsupported_media_type',
    /image\/jpeg, image\/png for this task, not image\/gif/,
  )
  const long = { ...fileOf('a.pdf', 'application/pdf', 'x'), pages: 21 }
  await refused(read.run(taskOf({ file: 'x' }, { files: { file: long } }), tools), 422, 'too_many_pages')
  const large = { ...PNG, size: 6 * MB }
  await refused(findFaces.run(taskOf({ file: 'x' }, { files: { file: large } }), tools), 422, 'file_too_large')
  assert.equal(requests.length, 0)
})
