import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { status } from '../../fakes/behaviours.ts'
import { textEvents, toolEvents } from '../../fakes/openai-events.ts'
import { stream } from '../../fakes/stream.ts'
import { API_KEY } from '../../gateway/gateway-under-test.ts'
import { geminiGateway, contents, GOOGLE, OPENAI, type Fields, type Part } from './gemini-gateway.ts'

// The Gemini format in front of other providers, for which it is translated.

const { google, openai, gateway, post, json, streamed } = await geminiGateway()

describe('the Gemini format in front of others', () => {
  test('every field that the chat format has is translated, in either spelling', async () => {
    const schema = {
      type: 'OBJECT',
      properties: { city: { type: 'STRING', nullable: true } },
      propertyOrdering: ['a'],
    }
    await post(`${OPENAI}:generateContent`, {
      system_instruction: { parts: [{ text: 'Sir!' }] },
      contents: { parts: { text: 'Hi' } },
      tools: [{ function_declarations: [{ name: 'weather', description: 'W', parameters: schema }] }],
      tool_config: { function_calling_config: { mode: 'ANY', allowed_function_names: ['weather'] } },
      generation_config: {
        temperature: 0.5,
        top_p: 0.9,
        max_output_tokens: 100,
        stop_sequences: ['x'],
        seed: 7,
        candidate_count: 2,
        presence_penalty: 0.1,
        frequency_penalty: 0.2,
        response_logprobs: true,
        logprobs: 3,
        response_mime_type: 'application/json',
        response_schema: schema,
      },
    })
    const parameters = { type: 'object', properties: { city: { type: ['string', 'null'] } } }
    assert.deepEqual(openai.requests[0]!.body, {
      model: 'gpt-4o-mini',
      messages: [
        { role: 'system', content: 'Sir!' },
        { role: 'user', content: 'Hi' },
      ],
      temperature: 0.5,
      top_p: 0.9,
      max_completion_tokens: 100,
      n: 2,
      stop: ['x'],
      seed: 7,
      presence_penalty: 0.1,
      frequency_penalty: 0.2,
      logprobs: true,
      top_logprobs: 3,
      response_format: { type: 'json_schema', json_schema: { name: 'answer', schema: parameters } },
      tools: [{ type: 'function', function: { name: 'weather', description: 'W', parameters } }],
      tool_choice: { type: 'function', function: { name: 'weather' } },
    })
  })

  test('calls without ids are matched with their results by name and order', async () => {
    const call = (city: string) => ({ functionCall: { name: 'weather', args: { city } } })
    const result = (said: string) => ({ functionResponse: { name: 'weather', response: { said } } })
    const turns = [
      ...contents,
      { role: 'model', parts: [call('Oslo'), call('Rome')] },
      { role: 'user', parts: [result('rain'), result('sun')] },
    ]
    await post(`${OPENAI}:generateContent`, { contents: turns })
    const [, made, ...results] = (openai.requests[0]!.body as { messages: Fields[] }).messages
    const ids = (made!.tool_calls as Fields[]).map(({ id }) => id)
    assert.deepEqual(
      results.map(({ tool_call_id, content }) => [tool_call_id, content]),
      [
        [ids[0], '{"said":"rain"}'],
        [ids[1], '{"said":"sun"}'],
      ],
    )
  })

  test('images, audio and files arrive as such; what only Gemini understands is named', async () => {
    const inline = (mimeType: string) => ({ inlineData: { mimeType, data: 'AAAA' } })
    const video = { fileData: { fileUri: 'https://example.com/a.png', mimeType: 'image/png' } }
    const parts = [inline('image/png'), inline('audio/wav'), inline('application/pdf'), video, { videoMetadata: {} }]
    const generationConfig = { mediaResolution: 'MEDIA_RESOLUTION_LOW' }
    const body = { contents: [{ role: 'user', parts }], generationConfig, safetySettings: [] }
    const reply = await post('openai/gpt-4o:generateContent', body)
    const [message] = (openai.requests[0]!.body as { messages: { content: Fields[] }[] }).messages
    assert.deepEqual(
      message!.content.map(({ type }) => type),
      ['image_url', 'input_audio', 'file', 'image_url'],
    )
    assert.equal(
      reply.headers.get('x-gatehouse-dropped-fields'),
      'safetySettings, generationConfig.mediaResolution, contents.parts.videoMetadata',
    )
  })

  test('a tool that only Google can run is refused and named; web search is translated', async () => {
    const refused = await post(`${OPENAI}:generateContent`, { contents, tools: [{ codeExecution: {} }] })
    assert.equal(refused.status, 422)
    assert.match(await refused.text(), /tools\.codeExecution: OpenAI does not have this; Google's models do/)
    assert.equal(openai.requests.length, 0)
    await post('openai/gpt-4o-search-preview:generateContent', { contents, tools: [{ googleSearch: {} }] })
    assert.deepEqual((openai.requests[0]!.body as Fields).web_search_options, {})
  })

  test('a conversation that another provider began goes on at Google, without its signatures', async () => {
    openai.next(stream(toolEvents([{ id: 'call_1', name: 'weather', arguments: '{}' }])))
    const replies = await streamed(`${OPENAI}:streamGenerateContent?alt=sse`)
    const parts = replies.flatMap(({ candidates }) => candidates[0]!.content.parts)
    const made = parts.find(({ functionCall }) => functionCall)!
    assert.match(String(made.thoughtSignature), /^[A-Za-z0-9+/]+=*$/, 'SDKs decode it as base64')
    const result = { functionResponse: { id: 'call_1', name: 'weather', response: {} } }
    const turns = [...contents, { role: 'model', parts }, { role: 'user', parts: [result] }]
    await post(`${GOOGLE}:generateContent`, { contents: turns })
    const sent = (google.requests[0]!.body as { contents: { parts: Part[] }[] }).contents[1]!.parts
    assert.deepEqual(sent.flatMap(signatureOf), ['skip_thought_signature_validator'])
  })

  test('fallbacks work, also from Google to others', async () => {
    google.always(status(503, { error: { code: 503, message: 'Overloaded', status: 'UNAVAILABLE' } }))
    const reply = await json(`${GOOGLE}:generateContent`, { contents, fallbacks: [OPENAI] })
    assert.deepEqual([reply.provider, reply.candidates[0]!.content.parts], ['openai', [{ text: 'Hello.' }]])
  })

  test('an uploaded file can be named by its id', async () => {
    const form = new FormData()
    form.set('file', new Blob(['A note.'], { type: 'text/plain' }), 'note.txt')
    const headers = { authorization: `Bearer ${API_KEY}` }
    const uploaded = await fetch(`${gateway.url}/v3/upload`, { method: 'POST', headers, body: form })
    const { file_id } = (await uploaded.json()) as { file_id: string }
    const parts = [{ fileData: { fileUri: file_id } }, { text: 'Read it.' }]
    await post(`${GOOGLE}:generateContent`, { contents: [{ role: 'user', parts }] })
    const [turn] = (google.requests[0]!.body as { contents: { parts: { inlineData?: Fields }[] }[] }).contents
    assert.equal(Buffer.from(String(turn!.parts[0]!.inlineData?.data), 'base64').toString(), 'A note.')
  })

  test('embeddings: text only, one set of settings, and what is not understood is named', async () => {
    const vectors = {
      object: 'list',
      data: [{ index: 0, embedding: [1] }],
      usage: { prompt_tokens: 1, total_tokens: 1 },
    }
    openai.always(status(200, vectors))
    const one = { content: { parts: [{ text: 'a' }] }, taskType: 'RETRIEVAL_QUERY' }
    const model = 'openai/text-embedding-3-small'
    const reply = await post(`${model}:embedContent`, one)
    assert.equal(reply.headers.get('x-gatehouse-dropped-fields'), 'taskType')
    assert.equal((openai.requests[0]!.body as Fields).task_type, undefined)
    const image = { content: { parts: [{ inlineData: { mimeType: 'image/png', data: 'AAAA' } }] } }
    for (const requests of [[image], [one, { ...one, taskType: 'CLUSTERING' }]])
      assert.equal((await post(`${model}:batchEmbedContents`, { requests })).status, 422)
  })

  test('a broken stream raises: events and arrays end without their end', async () => {
    for (const alt of ['?alt=sse', '']) {
      openai.next(stream(textEvents('Hello, world').slice(0, 2), { end: 'rst' }))
      const reply = await post(`${OPENAI}:streamGenerateContent${alt}`, { contents })
      await assert.rejects(reply.text())
    }
  })
})

function signatureOf({ thoughtSignature }: Part): string[] {
  return thoughtSignature ? [thoughtSignature] : []
}
