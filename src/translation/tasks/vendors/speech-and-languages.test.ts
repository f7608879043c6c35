import assert from 'node:assert/strict'
import { test } from 'node:test'
import { CREDENTIAL, fileOf } from '../http/fixtures/recording.ts'
import { valueAt } from '../results/loose-fields.ts'
import { failureOfAdapter, formOf, jsonOf, linesOf, runAdapter, refusalAnswer } from './fixtures/run-adapter.ts'

const AUDIO = { files: { file: fileOf('call', 'audio/mpeg', 'sound') } }
const CALL = { file: 'https://example.com/call.mp3', language: 'pt-BR', speakers: 2, vocabulary: ['Ada', 'Byron'] }
const DOCUMENT = { files: { file: fileOf('letter.txt', 'text/plain', 'Dear Sir') } }

/** What every recording says. */
const SAID = {
  text: 'Hello. Hi there.',
  diarization: {
    total_speakers: 2,
    entries: [
      ['Hello.', '0.31', '0.84', 1],
      ['Hi', '1.2', '1.42', 2],
      ['there.', '1.42', '1.77', 2],
    ],
  },
}

function said(output: unknown) {
  const entries = valueAt(output, 'diarization', 'entries') as Record<string, unknown>[]
  const rows = entries.map(({ segment, start_time, end_time, speaker }) => [segment, start_time, end_time, speaker])
  const total_speakers = valueAt(output, 'diarization', 'total_speakers')
  return { text: valueAt(output, 'text'), diarization: { total_speakers, entries: rows } }
}

test('deepl: a target may need a region, a source must not have one', async () => {
  const input = { text: 'Where?', target_language: 'en', source_language: 'pt-BR' }
  const { requests, output, units } = await runAdapter('translation/automatic_translation/deepl', input, {
    params: { formality: 'more', text: ['free'] },
    model: 'quality_optimized',
  })
  assert.deepEqual(linesOf(requests), ['POST /translate'])
  assert.deepEqual(jsonOf(requests), {
    model_type: 'quality_optimized',
    formality: 'more',
    text: ['Where?'],
    target_lang: 'EN-US',
    source_lang: 'PT',
    show_billed_characters: true,
  })
  assert.equal(requests[0]?.headers.authorization, 'DeepL-Auth-Key user-of-test:key-of-test')
  assert.deepEqual([output, units], [{ text: 'Où est la gare ?' }, 21])
  const spent = await failureOfAdapter(
    'translation/automatic_translation/deepl',
    input,
    refusalAnswer(456, { message: 'Quota exceeded' }),
  )
  assert.equal(spent.kind, 'auth')
})

test('deepl: a region or a script is told where it knows one, and left out where it does not', async () => {
  const targets = ['fr_CA', 'zh-TW', 'zh_CN', 'en-gb', 'pt', 'deu']
  const requests = await Promise.all(
    targets.map(async (target_language) => {
      const { requests: sentRequests } = await runAdapter('translation/automatic_translation/deepl', {
        text: 'x',
        target_language,
      })
      return valueAt(jsonOf(sentRequests), 'target_lang')
    }),
  )
  assert.deepEqual(requests, ['FR', 'ZH-HANT', 'ZH-HANS', 'EN-GB', 'PT-PT', 'DE'])
})

test('deepl: a document is handed in, asked for and fetched, even when it is a text', async () => {
  const input = { file: 'https://example.com/letter.txt', target_language: 'fr' }
  const { requests, output, kept, units } = await runAdapter('translation/document_translation/deepl', input, DOCUMENT)
  const path = '/document/04DE5AD98A02647D83285A36021911C6'
  assert.deepEqual(linesOf(requests), ['POST /document', `POST ${path}`, `POST ${path}`, `POST ${path}/result`])
  assert.deepEqual(await formOf(requests), { target_lang: 'FR', file: 'letter.txt' })
  assert.deepEqual(Object.keys(jsonOf(requests, 1) as object), ['document_key'])
  assert.match(Buffer.from(kept[0]!.bytes).toString(), /^Madame, Monsieur/)
  assert.equal(kept[0]?.name, 'letter.fr.txt')
  assert.equal(valueAt(output, 'document_resource_url'), 'https://gateway.example/files/1')
  assert.equal(units, 1)
  const wrong = { files: { file: fileOf('a.mp3', 'audio/mpeg', 'x') } }
  assert.equal(
    (await failureOfAdapter('translation/document_translation/deepl', input, refusalAnswer(200, {}), wrong)).status,
    415,
  )
})

test('modernmt: a question that is too long for an address is a POST that says it is a GET', async () => {
  const input = { text: 'Where?', target_language: 'fr', source_language: 'auto-detect' }
  const { requests, units } = await runAdapter('translation/automatic_translation/modernmt', input)
  assert.deepEqual([linesOf(requests), jsonOf(requests)], [['POST /translate'], { q: 'Where?', target: 'fr' }])
  assert.equal(requests[0]?.headers['x-http-method-override'], 'GET')
  assert.equal(units, 21)
  const detected = await runAdapter('translation/language_detection/modernmt', { text: 'Ce soir' })
  assert.deepEqual(
    [linesOf(detected.requests), jsonOf(detected.requests)],
    [['POST /translate/detect'], { q: 'Ce soir' }],
  )
  assert.deepEqual(detected.output, { items: [{ language: 'fr', display_name: 'French', confidence: null }] })
  const body = { status: 401, error: { type: 'UnauthorizedException', message: 'Invalid key' } }
  assert.equal(
    (await failureOfAdapter('translation/language_detection/modernmt', { text: 'x' }, refusalAnswer(401, body))).kind,
    'auth',
  )
})

test('elevenlabs: a voice is part of the path, and leads nowhere else', async () => {
  const input = { text: 'Hello 😀', speed: 1.1, voice: '../v/1', audio_format: 'PCM' }
  const { requests, kept, units } = await runAdapter('audio/tts/elevenlabs', input, {
    params: { seed: 7, model_id: 'free' },
  })
  assert.deepEqual(linesOf(requests), ['POST /text-to-speech/..%2Fv%2F1?output_format=pcm_24000'])
  const model_id = 'eleven_multilingual_v2'
  assert.deepEqual(jsonOf(requests), { voice_settings: { speed: 1.1 }, seed: 7, text: 'Hello 😀', model_id })
  assert.deepEqual([kept[0]?.name, kept[0]?.type, units], ['speech.pcm', 'audio/pcm', 7])
  const fallback = await runAdapter('audio/tts/elevenlabs', { text: 'Hi', voice: 'Rachel' })
  assert.deepEqual(linesOf(fallback.requests), [
    'POST /text-to-speech/21m00Tcm4TlvDq8ikWAM?output_format=mp3_44100_128',
  ])
  const odd = await failureOfAdapter(
    'audio/tts/elevenlabs',
    { text: 'x', audio_format: 'midi' },
    refusalAnswer(200, {}),
  )
  assert.deepEqual([odd.status, odd.code], [422, 'unsupported_audio_format'])
})

test('deepgram speaks with the voices of the generation that is paid for', async () => {
  const { requests } = await runAdapter('audio/tts/deepgram', { text: 'Hi', audio_format: 'wav' }, { model: 'aura' })
  assert.deepEqual(linesOf(requests), ['POST /speak?model=aura-asteria-en&encoding=linear16&container=wav'])
  assert.deepEqual(jsonOf(requests), { text: 'Hi' })
  assert.equal(requests[0]?.headers.authorization, 'Token user-of-test:key-of-test')
  const other = await failureOfAdapter(
    'audio/tts/deepgram',
    { text: 'Hi', voice: 'aura-asteria-en' },
    refusalAnswer(200, {}),
  )
  assert.equal(other.kind, 'bad_request')
  const unknown = await failureOfAdapter('audio/tts/deepgram', { text: 'Hi' }, refusalAnswer(200, {}), {
    model: 'thalia',
  })
  assert.equal(unknown.kind, 'model_not_found')
  assert.equal(
    (await failureOfAdapter('audio/tts/deepgram', { text: 'x'.repeat(2_001) }, refusalAnswer(200, {}))).code,
    'text_too_long',
  )
})

test('deepgram hears: the recording is the body, the wishes are the query', async () => {
  const { requests, output, units } = await runAdapter('audio/speech_to_text_async/deepgram', CALL, AUDIO)
  const options = 'smart_format=true&diarize=true&language=pt-BR&keyterm=Ada&keyterm=Byron&model=nova-3'
  assert.deepEqual(linesOf(requests), [`POST /listen?${options}`])
  assert.equal(requests[0]?.headers['content-type'], 'audio/mpeg')
  assert.equal(Buffer.from(requests[0]?.body as Uint8Array).toString(), 'sound')
  assert.deepEqual([said(output), units], [SAID, 4])
  const plain = await runAdapter('audio/speech_to_text_async/deepgram', { file: 'x' }, { ...AUDIO, model: 'nova-2' })
  assert.deepEqual(linesOf(plain.requests), [
    'POST /listen?smart_format=true&diarize=true&detect_language=true&model=nova-2',
  ])
})

test('elevenlabs hears: spaces are no words', async () => {
  const { requests, output, units } = await runAdapter('audio/speech_to_text_async/elevenlabs', CALL, AUDIO)
  assert.deepEqual(linesOf(requests), ['POST /speech-to-text'])
  assert.deepEqual(await formOf(requests), {
    diarize: 'true',
    tag_audio_events: 'false',
    num_speakers: '2',
    language_code: 'pt',
    model_id: 'scribe_v2',
    file: 'call.mp3',
  })
  assert.deepEqual([said(output), units], [SAID, 4])
})

test('assembly: handed in, started and asked for by its number', async () => {
  const { requests, output, units } = await runAdapter('audio/speech_to_text_async/assembly', CALL, AUDIO)
  const path = '/transcript/9ea68fd3-f953-42c1-9742-976c447fb463'
  assert.deepEqual(linesOf(requests), ['POST /upload', 'POST /transcript', `GET ${path}`, `GET ${path}`])
  assert.deepEqual(jsonOf(requests, 1), {
    speech_models: ['universal-3-5-pro', 'universal-2'],
    language_code: 'pt',
    speaker_labels: true,
    speakers_expected: 2,
    keyterms_prompt: ['Ada', 'Byron'],
    audio_url: 'https://cdn.provider.test/upload/ccbbbfaf-f319-4455-9556-272d48faaf7f',
  })
  assert.equal(requests[3]?.headers.authorization, `Bearer ${CREDENTIAL}`)
  assert.deepEqual([said(output), units], [SAID, 4])
})

test('assembly: models have their current names', async () => {
  for (const [model, name] of [
    ['universal', 'universal-2'],
    ['best', 'universal-3-5-pro'],
    ['universal-3-pro', 'universal-3-pro'],
  ] as const) {
    const { requests } = await runAdapter('audio/speech_to_text_async/assembly', CALL, { ...AUDIO, model })
    assert.deepEqual(valueAt(jsonOf(requests, 1), 'speech_models'), [name])
  }
})

test('gladia: handed in, started and asked for by its number', async () => {
  const { requests, output, units } = await runAdapter('audio/speech_to_text_async/gladia', CALL, AUDIO)
  const path = '/pre-recorded/45463597-20b7-4af7-b3b3-f5fb778203ab'
  assert.deepEqual(linesOf(requests), ['POST /upload', 'POST /pre-recorded', `GET ${path}`, `GET ${path}`])
  assert.deepEqual(await formOf(requests), { audio: 'call.mp3' })
  assert.deepEqual(jsonOf(requests, 1), {
    diarization: true,
    diarization_config: { number_of_speakers: 2 },
    language_config: { languages: ['pt'] },
    custom_vocabulary: true,
    custom_vocabulary_config: { vocabulary: ['Ada', 'Byron'] },
    audio_url: 'https://api.provider.test/file/636c70f6-92c1-4026-a8b6-0dfe3ecf826f',
  })
  assert.deepEqual([said(output), units], [SAID, 4])
})

test('a recording that could not be heard, and a ticket that leads elsewhere', async () => {
  const error = { upload_url: 'u', id: 't-1', status: 'error', error: 'Audio too short', text: null, words: null }
  const transcription = await failureOfAdapter(
    'audio/speech_to_text_async/assembly',
    CALL,
    refusalAnswer(200, error),
    AUDIO,
  )
  assert.deepEqual([transcription.status, transcription.message], [422, 'Audio too short'])
  const lost = { audio_url: 'u', id: 't-1', status: 'error', error_code: 410 }
  assert.equal(
    (await failureOfAdapter('audio/speech_to_text_async/gladia', CALL, refusalAnswer(200, lost), AUDIO)).code,
    '410',
  )
  for (const id of ['../../x', 'a/b', 'a?b', '', '..']) {
    const elsewhere = refusalAnswer(200, { upload_url: 'u', audio_url: 'u', id, status: 'queued' })
    for (const provider of ['assembly', 'gladia']) {
      const failure = await failureOfAdapter(`audio/speech_to_text_async/${provider}`, CALL, elsewhere, AUDIO)
      assert.equal(failure.kind, 'garbage', id)
    }
  }
})
