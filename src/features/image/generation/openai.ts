import Type from '../../../contract/type.ts'
import { optional, words } from '../../../contract/fields.ts'
import { acceptFile } from '../../calls/accept-file.ts'
import { askForJson } from '../../calls/ask-provider.ts'
import { typeOf } from '../../calls/file-kinds.ts'
import { type Fields, formPayload, jsonPayload } from '../../calls/payload.ts'
import { replyReader } from '../../calls/reply-reader.ts'
import { TaskFailure } from '../../calls/task-failure.ts'
import { adapter, type TaskFile, type Tools } from '../../feature.ts'
import generation from './feature.ts'

// https://platform.openai.com/docs/api-reference/images/create and …/images/createEdit. These models answer in base64.

const PICTURES = { types: ['image/png', 'image/jpeg', 'image/webp'], megabytes: 50 }

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
  const items = await Promise.all(original.data.map(({ b64_json }, index) => kept(b64_json, index, format, tools)))
  // The price is that of a picture of the usual size and quality; it is sold by tokens.
  return { output: { items }, original, units: items.length, estimated: true }
})

async function editOf(fields: Fields, count: number, { mask, ...files }: Record<string, TaskFile>) {
  const pictures = Array.from({ length: count }, (_, index) => files[`reference_images.${index}`]).filter(
    (file) => file !== undefined,
  )
  // A picture with settings is another provider's: its settings would be lost without a word.
  if (pictures.length < count) throw new TaskFailure('bad_request', 'reference_images should be files')
  const parts = pictures.map((file) => ({ field: 'image[]', file: acceptFile(file, PICTURES) }))
  const payload = await formPayload(
    fields,
    mask ? [...parts, { field: 'mask', file: acceptFile(mask, PICTURES) }] : parts,
  )
  return { path: '/images/edits', payload }
}

async function kept(image: string, index: number, format: string, { keep }: Tools) {
  const file = { name: `image-${index + 1}.${format}`, type: typeOf(format), bytes: Buffer.from(image, 'base64') }
  return { image, image_resource_url: await keep(file) }
}
