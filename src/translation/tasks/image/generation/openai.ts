import Type from '../../../../base/schema/type.ts'
import { optional, words } from '../../../../base/schema/fields.ts'
import { acceptFile } from '../../inputs/accept-file.ts'
import { askForJson } from '../../http/ask-provider.ts'
import { typeOf } from '../../http/file-kinds.ts'
import { type Fields, formPayload, jsonPayload } from '../../http/payload.ts'
import { replyReader } from '../../http/reply-reader.ts'
import { TaskFailure } from '../../http/task-failure.ts'
import { adapter, type TaskFile, type Tools } from '../../feature.ts'
import generation from './feature.ts'

// https://platform.openai.com/docs/api-reference/images/create and …/images/createEdit. These models answer in base64.

const IMAGE_TYPES = { types: ['image/png', 'image/jpeg', 'image/webp'], megabytes: 50 }

const readReply = replyReader(
  Type.Object({
    data: Type.Array(Type.Object({ b64_json: Type.String({ minLength: 1 }) }), { minItems: 1 }),
    output_format: optional(words(['png', 'jpeg', 'webp', 'gif', 'svg']), 'What the files are.'),
  }),
)

export default adapter(generation, async (task, tools) => {
  const { text, resolution, num_images, reference_images } = task.input
  const model = task.model ?? 'gpt-image-2'
  const settings = { size: resolution, n: num_images ?? 1, ...task.params }
  const fields = { ...settings, model, prompt: text, stream: undefined, partial_images: undefined }
  const question = reference_images?.length
    ? await editOf(fields, reference_images.length, task.files)
    : { path: '/images/generations', payload: jsonPayload(fields) }
  const original = await askForJson(tools, question, readReply)
  const format = original.output_format ?? 'png'
  const items = await Promise.all(
    original.data.map(({ b64_json }, index) => storeImage(b64_json, index, format, tools)),
  )
  // The price is that of an image of default size and quality; OpenAI bills by tokens.
  return { output: { items }, original, units: items.length, estimated: true }
})

async function editOf(fields: Fields, count: number, { mask, ...files }: Record<string, TaskFile>) {
  const images = Array.from({ length: count }, (_, index) => files[`reference_images.${index}`]).filter(
    (file) => file !== undefined,
  )
  // An image with settings is for other providers: its settings would be silently lost.
  if (images.length < count) throw new TaskFailure('bad_request', 'reference_images should be files')
  const parts = images.map((file) => ({ field: 'image[]', file: acceptFile(file, IMAGE_TYPES) }))
  const payload = await formPayload(
    fields,
    mask ? [...parts, { field: 'mask', file: acceptFile(mask, IMAGE_TYPES) }] : parts,
  )
  return { path: '/images/edits', payload }
}

async function storeImage(image: string, index: number, format: string, { keep }: Tools) {
  const file = { name: `image-${index + 1}.${format}`, type: typeOf(format), bytes: Buffer.from(image, 'base64') }
  return { image, image_resource_url: await keep(file) }
}
