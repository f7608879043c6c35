import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import type { Message } from '../../../contract/chat.ts'
import { Problem } from '../../../contract/problems.ts'
import type { Target } from '../chat-codec.ts'
import { OLD, NEW, call, encoded } from './fixtures/encoded.ts'

const VERTEX: Target = { ...OLD, baseUrl: 'https://v.test/v1/projects/p/locations/l/publishers/google' }

const PNG = 'iVBORw0KGgoAAAANSUhEUg=='

describe('roles', () => {
  test('instructions come first, and messages of one speaker are merged', () => {
    const { body } = encoded([
      { role: 'system', content: 'Be brief.' },
      { role: 'developer', content: [{ type: 'text', text: 'Be kind.', cache_control: { type: 'ephemeral' } }] },
      { role: 'user', content: 'One' },
      { role: 'user', content: 'Two' },
      { role: 'assistant', content: [{ type: 'refusal', refusal: 'No.' }] },
      { role: 'assistant', content: '' },
      { role: 'user', content: 'Why?' },
    ])
    assert.deepEqual(body, {
      systemInstruction: { parts: [{ text: 'Be brief.' }, { text: 'Be kind.' }] },
      contents: [
        { role: 'user', parts: [{ text: 'One' }, { text: 'Two' }] },
        { role: 'model', parts: [{ text: 'No.' }] },
        { role: 'user', parts: [{ text: 'Why?' }] },
      ],
    })
  })

  test('a later instruction keeps its place, with a note', () => {
    const { body, notes } = encoded([
      { role: 'user', content: 'Hi' },
      { role: 'assistant', content: 'Hello' },
      { role: 'system', content: 'Now in French.' },
    ])
    assert.deepEqual(body.contents[2], { role: 'user', parts: [{ text: 'Now in French.' }] })
    assert.deepEqual(
      notes.map(({ field }) => field),
      ['messages.role'],
    )
  })

  test('a model without instructions gets them from the user', () => {
    const target: Target = { ...OLD, traits: { lacks: ['system'] } }
    const system: Message = { role: 'system', content: 'Be brief.' }
    const { body, notes } = encoded([system, { role: 'user', content: 'Hi' }], target)
    assert.deepEqual(body, { contents: [{ role: 'user', parts: [{ text: 'Be brief.\n\nHi' }] }] })
    assert.equal(notes[0]?.action, 'translated')
    const image: Message = { role: 'user', content: [{ type: 'image_url', image_url: 'https://x.test/a.png' }] }
    assert.deepEqual(encoded([system, image], target).body.contents[0].parts[0], { text: 'Be brief.' })
  })

  test('instructions alone become a user message; an empty conversation is refused', () => {
    assert.deepEqual(encoded([{ role: 'system', content: 'Say hi.' }]).body, {
      contents: [{ role: 'user', parts: [{ text: 'Say hi.' }] }],
    })
    assert.throws(() => encoded([{ role: 'user', content: '' }]), { status: 422, message: /^messages: Gemini/ })
  })

  test('further fields of a message are noted', () => {
    const { notes } = encoded([
      { role: 'user', content: 'Hi', name: 'Ann' },
      { role: 'assistant', content: 'Hello', reasoning_content: 'A greeting.' },
      { role: 'user', content: 'Bye' },
    ])
    assert.deepEqual(
      notes.map(({ field }) => field),
      ['messages.name', 'messages.reasoning_content'],
    )
  })
})

describe('media', () => {
  test('images by data URL and by URL', () => {
    const content: Message['content'] = [
      { type: 'image_url', image_url: { url: `data:image/jpg;base64,${PNG}`, detail: 'low' } },
      { type: 'image_url', image_url: { url: 'https://x.test/a.webp?size=2', detail: 'high' } },
      { type: 'image_url', image_url: 'https://x.test/picture' },
    ]
    const { body } = encoded([{ role: 'user', content }])
    assert.deepEqual(body.contents[0].parts, [
      { inlineData: { mimeType: 'image/jpeg', data: PNG } },
      { fileData: { mimeType: 'image/webp', fileUri: 'https://x.test/a.webp?size=2' } },
      { fileData: { mimeType: 'image/jpeg', fileUri: 'https://x.test/picture' } },
    ])
    assert.deepEqual(body.generationConfig, { mediaResolution: 'MEDIA_RESOLUTION_HIGH' })
  })

  test('files: the type as claimed, as named, as sniffed', () => {
    const pdf = Buffer.from('%PDF-1.7 …').toString('base64')
    const files = [
      { file_data: `data:application/pdf;base64,${pdf}` },
      { file_data: pdf, filename: 'report.PDF' },
      { file_data: `data:application/octet-stream;base64,${pdf}` },
      { file_data: Buffer.from('Grüße, just words').toString('base64') },
      { file_data: 'data:text/csv,a%2Cb' },
    ]
    const { body } = encoded([{ role: 'user', content: files.map((file) => ({ type: 'file', file })) }])
    assert.deepEqual(
      body.contents[0].parts.map((part: { inlineData: { mimeType: string } }) => part.inlineData.mimeType),
      ['application/pdf', 'application/pdf', 'application/pdf', 'text/plain', 'text/csv'],
    )
    assert.equal(body.contents[0].parts[4].inlineData.data, Buffer.from('a,b').toString('base64'))
  })

  test('files at an address or at Google', () => {
    const ids = ['https://x.test/a.pdf', 'gs://bucket/film.mp4', 'files/abc-123', 'https://youtu.be/x']
    const { body } = encoded([{ role: 'user', content: ids.map((file_id) => ({ type: 'file', file: { file_id } })) }])
    assert.deepEqual(body.contents[0].parts, [
      { fileData: { mimeType: 'application/pdf', fileUri: ids[0] } },
      { fileData: { mimeType: 'video/mp4', fileUri: ids[1] } },
      { fileData: { fileUri: 'https://studio.test/v1beta/files/abc-123' } },
      { fileData: { fileUri: ids[3] } },
    ])
  })

  test('sound is sent inline, with its type', () => {
    const content: Message['content'] = [
      { type: 'input_audio', input_audio: { data: 'AAAA', format: 'mp3' } },
      { type: 'input_audio', input_audio: { data: Buffer.from('RIFF\0\0\0\0WAVEfmt ').toString('base64') } },
    ]
    const { parts } = encoded([{ role: 'user', content }]).body.contents[0]
    assert.deepEqual(
      parts.map(({ inlineData }: { inlineData: object }) => inlineData),
      [
        { mimeType: 'audio/mp3', data: 'AAAA' },
        { mimeType: 'audio/wav', data: 'UklGRgAAAABXQVZFZm10IA==' },
      ],
    )
  })

  test('unsupported input is refused at its path', () => {
    const refused: [NonNullable<Message['content']>, string][] = [
      [[{ type: 'image_url', image_url: 'cat.png' }], 'image_url.url'],
      [[{ type: 'image_url', image_url: 'data:image/png;base64' }], 'image_url.url'],
      [[{ type: 'file', file: { file_id: 'file-openai' } }], 'file.file_id'],
      [[{ type: 'file', file: { file_data: '' } }], 'file.file_data'],
      [[{ type: 'file', file: { file_data: 'AAECAwQF' } }], 'file.file_data'],
    ]
    for (const [content, place] of refused)
      assert.throws(() => encoded([{ role: 'user', content }]), refusedAt(`messages.0.content.0.${place}`))
    const image: Message = { role: 'user', content: [{ type: 'image_url', image_url: 'https://x.test/a.png' }] }
    assert.throws(
      () => encoded([image], { ...OLD, traits: { lacks: ['vision'] } }),
      /this model of Gemini does not accept images/,
    )
    assert.throws(() => encoded([{ ...image, role: 'system' }]), /accepts only text as an instruction/)
  })
})

describe('tools in a conversation', () => {
  const request: Message[] = [
    { role: 'user', content: 'Weather?' },
    { role: 'assistant', content: null, tool_calls: [call('a', 'weather', '{"city":"Oslo"}'), call('b', 'time', '')] },
  ]

  test('calls and their results, the name found by the id', () => {
    const { body } = encoded([
      ...request,
      { role: 'tool', tool_call_id: 'a', content: '{"celsius":3}' },
      { role: 'tool', tool_call_id: 'b', content: [{ type: 'text', text: 'noon' }] },
    ])
    assert.deepEqual(body.contents.slice(1), [
      {
        role: 'model',
        parts: [
          { functionCall: { id: 'a', name: 'weather', args: { city: 'Oslo' } } },
          { functionCall: { id: 'b', name: 'time', args: {} } },
        ],
      },
      {
        role: 'user',
        parts: [
          { functionResponse: { id: 'a', name: 'weather', response: { celsius: 3 } } },
          { functionResponse: { id: 'b', name: 'time', response: { output: 'noon' } } },
        ],
      },
    ])
  })

  test('results that are no object are wrapped, and no long number is rounded', () => {
    for (const content of ['[1]', '3', 'plain', '', '{broken', '{"id":12345678901234567890}']) {
      const { body } = encoded([...request, { role: 'tool', tool_call_id: 'a', content }])
      assert.deepEqual(body.contents[2].parts[0].functionResponse.response, { output: content })
    }
  })

  test('calls and results of the legacy form are sent as function calls', () => {
    const { body } = encoded([
      { role: 'user', content: 'Time?' },
      { role: 'assistant', content: null, function_call: { name: 'time', arguments: '{}' } },
      { role: 'function', name: 'time', content: 'noon' },
    ])
    assert.deepEqual(body.contents[1].parts, [{ functionCall: { id: 'call_1', name: 'time', args: {} } }])
    assert.deepEqual(body.contents[2].parts, [
      { functionResponse: { id: 'call_1', name: 'time', response: { output: 'noon' } } },
    ])
  })

  test('Vertex gets no ids', () => {
    const { body } = encoded([...request, { role: 'tool', tool_call_id: 'a', content: 'x' }], VERTEX)
    assert.ok(!JSON.stringify(body).includes('"id"'))
  })

  test('an image as a result: inside for Gemini 3, beside it for older models', () => {
    const image = { type: 'image_url' as const, image_url: `data:image/png;base64,${PNG}` }
    const result: Message = { role: 'tool', tool_call_id: 'a', content: [{ type: 'text', text: 'see' }, image] }
    const media = { inlineData: { mimeType: 'image/png', data: PNG } }
    const response = { id: 'a', name: 'weather', response: { output: 'see' } }
    assert.deepEqual(encoded([...request, result], NEW).body.contents[2].parts, [
      { functionResponse: { ...response, parts: [media] } },
    ])
    assert.deepEqual(encoded([...request, result], OLD).body.contents[2].parts, [{ functionResponse: response }, media])
  })

  test('unknown and nameless calls are refused; arguments that are not an object are sent raw', () => {
    assert.throws(
      () => encoded([{ role: 'tool', tool_call_id: 'z', content: 'x' }]),
      refusedAt('messages.0.tool_call_id'),
    )
    const broken = (tool_calls: unknown): Message[] => [{ role: 'assistant', content: null, tool_calls }]
    const raw = encoded(broken([call('a', 'f', '[1]')])).body.contents[0].parts[0]
    assert.deepEqual(raw, { functionCall: { id: 'a', name: 'f', args: { _raw: '[1]' } } })
    assert.throws(
      () => encoded(broken([{ id: 'a', type: 'custom', custom: {} }])),
      refusedAt('messages.0.tool_calls.0'),
    )
  })
})

function refusedAt(place: string) {
  return (error: unknown) => error instanceof Problem && error.status === 422 && error.details.param === place
}
