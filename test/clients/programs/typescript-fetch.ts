import { strict as assert } from 'node:assert'
import { ChatApi, Configuration, FilesApi, ImagesApi, ResponseError, UniversalTasksApi } from './typescript-fetch'

// Calls with the client that openapi-generator writes for TypeScript with fetch.

const configuration = new Configuration({
  basePath: process.env.GATEWAY_URL,
  accessToken: process.env.GATEWAY_KEY,
})
const [chats, files] = [new ChatApi(configuration), new FilesApi(configuration)]
const [images, tasks] = [new ImagesApi(configuration), new UniversalTasksApi(configuration)]
const chatRequest = { model: 'sandbox/echo', messages: [{ role: 'user' as const, content: 'Hello!' }] }
const moderation = { model: 'text/moderation/sandbox', input: { text: 'Hello' } }

void main()

async function main(): Promise<void> {
  const chat = await chats.postChatCompletions({ chatRequest })
  assert.equal(chat.choices[0]!.message.content, 'Hello!')
  const { raw } = await chats.postChatCompletionsRaw({ chatRequest: { ...chatRequest, stream: true } })
  assert.match(await raw.text(), /data: \[DONE\]/)
  const vectors = await tasks.postEmbeddings({
    embeddingsRequest: { model: 'openai/text-embedding-3-small', input: ['Hello!'] },
  })
  assert.equal(vectors.data.length, 1)
  const uploaded = await files.postUpload({ file: new Blob(['Hello']), purpose: 'test' })
  const content = await files.getUploadByFileIdContent({ fileId: uploaded.fileId })
  assert.deepEqual([await content.text(), uploaded.purpose], ['Hello', 'test'])
  assert.equal((await tasks.postUniversalAi({ universalRequest: moderation })).status, 'success')
  let job = await tasks.postUniversalAiAsync({ universalAsyncRequest: moderation })
  while (job.status === 'processing') {
    await new Promise((resolve) => setTimeout(resolve, 50))
    job = await tasks.getUniversalAiAsyncByJobId({ jobId: job.jobId })
  }
  assert.equal(job.status, 'success')
  const info = await tasks.getInfoByFeatureBySubfeature({ feature: 'text', subfeature: 'moderation' })
  assert.equal(info.subfeatureFullname, 'Text: Moderation')
  const drawn = await images.postImagesGenerations({
    imageGenerationRequest: { model: 'sandbox/image', prompt: 'A door' },
  })
  assert.equal(drawn.data.length, 1)
  const refused = await chats
    .postChatCompletions({ chatRequest: { ...chatRequest, model: 'unknown/nothing' } })
    .catch((error: ResponseError) => error)
  assert.ok(refused instanceof ResponseError && refused.response.status === 404)
}
