import Type from '../../schema/type.ts'
import { mapOf } from '../../schema/fields.ts'
import { acceptFile } from '../inputs/accept-file.ts'
import { askForJson } from '../http/ask-provider.ts'
import { formPayload } from '../http/payload.ts'
import { replyReader } from '../http/reply-reader.ts'
import type { Task, Tools } from '../feature.ts'

// https://developers.mindee.com/v1.0/docs. Version 2 only has models that an account has defined itself; the ready-made models
// are in version 1.

const ACCEPTED = {
  types: ['application/pdf', 'image/jpeg', 'image/png', 'image/webp', 'image/tiff', 'image/heic', 'image/heif'],
  megabytes: 10,
}

const PROOF = { headers: { authorization: 'Token {secret}' } }
const Prediction = mapOf(Type.Unknown())

const readReply = replyReader(
  Type.Object({
    document: Type.Object({
      n_pages: Type.Optional(Type.Integer({ minimum: 1 })),
      inference: Type.Object({ prediction: Prediction, pages: Type.Array(Type.Object({ prediction: Prediction })) }),
    }),
  }),
)

/** The data that a ready-made model extracts from the task's file. */
export async function askMindee(tools: Tools, task: Pick<Task<unknown>, 'files' | 'params'>, model: string) {
  const fields = { ...task.params, document: undefined }
  const payload = await formPayload(fields, [{ field: 'document', file: acceptFile(task.files.file!, ACCEPTED) }])
  const original = await askForJson(tools, { path: `/${model}/predict`, payload, proof: PROOF }, readReply)
  const { inference, n_pages } = original.document
  return { original, prediction: inference.prediction, units: n_pages ?? Math.max(1, inference.pages.length) }
}
