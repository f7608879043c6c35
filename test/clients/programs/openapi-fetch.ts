import createClient from 'openapi-fetch'
import type { components, paths } from './api.d.ts'

// A program that an application developer would write with generated types. typescript-client.test.ts checks its types
// against freshly generated ones, and runs it against a gateway.

type ChatChunk = components['schemas']['ChatChunk']

export async function callEverything(baseUrl: string, key: string): Promise<Record<string, unknown>> {
  const client = createClient<paths>({ baseUrl, headers: { authorization: `Bearer ${key}` } })
  const ask = { model: 'sandbox/echo', messages: [{ role: 'user' as const, content: 'Hello!' }] }

  const chat = await client.POST('/v3/chat/completions', { body: ask })
  const streamed = await client.POST('/v3/chat/completions', { body: { ...ask, stream: true }, parseAs: 'text' })
  const vectors = await client.POST('/v3/embeddings', {
    body: { model: 'openai/text-embedding-3-small', input: ['Hello!'] },
  })
  const image = await client.POST('/v3/images/generations', { body: { model: 'sandbox/image', prompt: 'A door' } })
  const moderation = { model: 'text/moderation/sandbox', input: { text: 'Hello' } }
  const task = await client.POST('/v3/universal-ai', { body: moderation })
  const info = await client.GET('/v3/info/{feature}/{subfeature}', {
    params: { path: { feature: 'text', subfeature: 'moderation' } },
  })
  const refused = await client.POST('/v3/chat/completions', { body: { model: 'sandbox/echo', messages: [] } })

  return {
    chat: chat.data && textOf(chat.data),
    stream: chunksIn(String(streamed.data)).map(({ choices }) => choices[0]?.delta.content ?? ''),
    dimensions: vectors.data?.data[0]?.embedding.length,
    // Here, too, the answer may be the events of a stream.
    images: Array.isArray(image.data?.data) ? image.data.data.length : undefined,
    task: task.data?.status,
    info: info.data?.subfeature_fullname,
    models: info.data?.models.map(({ model }) => model),
    error: refused.error && 'detail' in refused.error ? refused.error.detail[0]?.loc : refused.error,
    ...(await upload(client)),
    job: await runJob(client, moderation),
  }
}

type ChatAnswer = components['schemas']['ChatCompletion'] | components['schemas']['ChatEvent']

/** The same operation may answer with the events of a stream, so `object` says which of the two this is. */
function textOf(answer: ChatAnswer): string | null | undefined {
  return 'object' in answer && answer.object === 'chat.completion' ? answer.choices[0]?.message.content : undefined
}

type Client = ReturnType<typeof createClient<paths>>

async function upload(client: Client) {
  const uploaded = await client.POST('/v3/upload', {
    // Generated types call bytes a string.
    body: { file: 'Hello' as string, purpose: 'test' },
    bodySerializer: ({ file, purpose = '' }) => {
      const form = new FormData()
      form.set('file', new Blob([file]), 'hello.txt')
      form.set('purpose', purpose)
      return form
    },
  })
  const file_id = uploaded.data?.file_id ?? ''
  const content = await client.GET('/v3/upload/{file_id}/content', { params: { path: { file_id } }, parseAs: 'text' })
  return { purpose: uploaded.data?.purpose, content: content.data }
}

async function runJob(client: Client, body: { model: string; input: Record<string, unknown> }) {
  const submitted = await client.POST('/v3/universal-ai/async', { body })
  const job_id = submitted.data?.job_id ?? ''
  for (;;) {
    const { data, error } = await client.GET('/v3/universal-ai/async/{job_id}', { params: { path: { job_id } } })
    if (data?.status !== 'processing') return data?.status ?? error
    await new Promise((resolve) => setTimeout(resolve, 20))
  }
}

function chunksIn(text: string): ChatChunk[] {
  const events = text.split('\n\n').filter((event) => event.startsWith('data: {'))
  return events.map((event) => JSON.parse(event.slice('data: '.length)) as ChatChunk)
}
