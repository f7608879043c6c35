import assert from 'node:assert/strict'
import { test } from 'node:test'
import transcribe from '../../audio/speech_to_text_async/mistral.ts'
import speak from '../../audio/tts/mistral.ts'
import { refused } from '../../http/fixtures/failure-of.ts'
import { CREDENTIAL, fileOf, played, recordingOf, taskOf, toolsAnswering } from '../../http/fixtures/recording.ts'
import explicit from '../../image/explicit_content/openai.ts'
import read from '../../ocr/ocr/mistral.ts'
import readLong from '../../ocr/ocr_async/mistral.ts'
import readTables from '../../ocr/ocr_tables_async/mistral.ts'
import moderate from '../../text/moderation/mistral.ts'

const PNG = fileOf('a.png', 'image/png', 'image')
const PDF = fileOf('a.pdf', 'application/pdf', 'pages')
const IMAGE = `data:image/png;base64,${Buffer.from('image').toString('base64')}`

test('speech: the sound comes as base64, in the format that was asked for', async () => {
  const input = { text: 'Hello 😀', voice: 'gb_jane_neutral', audio_format: 'WAV' }
  const task = taskOf(input, { params: { model: 'free', ref_audio: 'x' } })
  const { requests, kept, units } = await played('audio/tts/mistral', speak, task)
  const fixed = { model: 'voxtral-mini-tts-2603', input: 'Hello 😀', response_format: 'wav' }
  assert.deepEqual(requests[0]?.body, { voice_id: 'gb_jane_neutral', ref_audio: 'x', ...fixed })
  assert.deepEqual([requests[0]?.path, kept[0]?.name, units], ['/audio/speech', 'speech.wav', 7])
  await refused(
    played('audio/tts/mistral', speak, taskOf({ text: 'x', audio_format: 'aac' })),
    422,
    'unsupported_audio_format',
  )
})

test('moderation: scores become findings', async () => {
  const { requests, output } = await played('text/moderation/mistral', moderate, taskOf({ text: 'You!' }))
  assert.deepEqual(requests, [
    {
      method: 'POST',
      path: '/moderations',
      headers: { 'content-type': 'application/json', authorization: `Bearer ${CREDENTIAL}` },
      body: { model: 'mistral-moderation-latest', input: 'You!' },
    },
  ])
  assert.deepEqual([output.nsfw_likelihood, output.nsfw_likelihood_score], [5, 0.8358])
  const places = output.items.map(({ label, subcategory }) => [label, subcategory])
  assert.deepEqual(places.slice(0, 4), [
    ['sexual', 'Sexual'],
    ['hate_and_discrimination', 'Hate'],
    ['violence_and_threats', 'Violence'],
    ['dangerous_and_criminal_content', null],
  ])
})

test('reading: a picture and a document each in its own way, charged by the page', async () => {
  const { requests, output, units } = await played('ocr/ocr/mistral', read, taskOf({}, { files: { file: PNG } }))
  const document = { type: 'image_url', image_url: IMAGE }
  assert.deepEqual([requests[0]?.path, requests[0]?.body], ['/ocr', { model: 'mistral-ocr-latest', document }])
  assert.deepEqual([output.text, units], ['# MIND THE GAP', 1])
  const long = await played('ocr/ocr_async/mistral', readLong, taskOf({}, { files: { file: PDF }, model: 'm' }))
  assert.equal(long.requests[0]?.body.document.type, 'document_url')
  assert.equal(long.requests[0]?.body.model, 'm')
  assert.deepEqual([long.output.number_of_pages, long.units], [2, 2])
  assert.deepEqual(
    long.output.pages[0]?.lines.map(({ text }) => text),
    ['# Notice', 'Closed today'],
  )
  const odd = taskOf({}, { files: { file: fileOf('a.zip', 'application/zip', 'x') } })
  await refused(played('ocr/ocr/mistral', read, odd), 415, 'unsupported_media_type')
})

test('tables: Markdown is taken apart', async () => {
  const { requests, output } = await played(
    'ocr/ocr_tables_async/mistral',
    readTables,
    taskOf({}, { files: { file: PDF } }),
  )
  assert.equal(requests[0]?.body.table_format, 'markdown')
  const [table] = output.pages[0]?.tables ?? []
  assert.deepEqual([table?.num_rows, table?.num_cols], [2, 2])
  assert.deepEqual(
    table?.rows.map(({ cells }) => cells.map(({ text, is_header }) => [text, is_header])),
    [
      [
        ['Item', true],
        ['Price', true],
      ],
      [
        ['Lamp | desk', false],
        ['39.90', false],
      ],
    ],
  )
})

test('recordings: who spoke, and the seconds that were charged', async () => {
  const { tools, requests } = toolsAnswering(recordingOf('audio/speech_to_text_async/mistral'))
  const file = fileOf('a.mp3', 'audio/mpeg', 'sound')
  const { output, units } = await transcribe.run(taskOf({ file: 'x', language: 'en' }, { files: { file } }), tools)
  const { headers, body } = requests[0]!
  const form = await new Response(new Uint8Array(body as Uint8Array), { headers }).formData()
  assert.deepEqual(Object.fromEntries([...form].filter(([name]) => name !== 'file')), {
    diarize: 'true',
    timestamp_granularities: 'segment',
    model: 'voxtral-mini-latest',
  })
  assert.deepEqual([output.text, output.diarization.total_speakers, units], ['Hello. Hi there.', 2, 4])
})

test('OpenAI: a picture is moderated for what can be seen', async () => {
  const { requests, output } = await played(
    'image/explicit_content/openai',
    explicit,
    taskOf({}, { files: { file: PNG } }),
  )
  const input = [{ type: 'image_url', image_url: { url: IMAGE } }]
  assert.deepEqual(requests[0]?.body, { model: 'omni-moderation-latest', input })
  assert.deepEqual(
    output.items.map(({ label }) => label),
    ['sexual', 'violence', 'violence/graphic', 'self-harm'],
  )
  assert.equal(output.nsfw_likelihood_score, 0.4123)
})
