import Type, { type Static } from '../../../base/schema/type.ts'
import { mapOf } from '../../../base/schema/fields.ts'
import { acceptFile } from '../inputs/accept-file.ts'
import { askForJson } from '../http/ask-provider.ts'
import { DOCX, OLD_OFFICE, XLSX } from '../inputs/document-kinds.ts'
import { dataUrlOf } from '../http/inline-file.ts'
import { jsonPayload } from '../http/payload.ts'
import { replyReader } from '../http/reply-reader.ts'
import type { Feature, Task, Tools } from '../feature.ts'
import { measuredUnits } from '../measured-units.ts'

// https://base64.ai/api. The secret is an email address and a key, separated by a colon. The answer is a list, because a file
// may contain several documents.

const ACCEPTED = { types: ['image/*', 'application/pdf', DOCX, XLSX, ...OLD_OFFICE] }

export const BASE64_PROOF = { headers: { authorization: 'ApiKey {secret}' } }

const Scanned = Type.Object({
  model: Type.Object({ name: Type.Optional(Type.String()), type: Type.Optional(Type.String()) }),
  fields: mapOf(Type.Unknown()),
  features: Type.Optional(Type.Unknown()),
})

export type Scanned = Static<typeof Scanned>

const readReply = replyReader(Type.Array(Scanned))

/** The documents in the task's file, and the number of pages that were read. */
export async function askBase64(tools: Tools, feature: Feature, task: Task<unknown>, modelTypes?: string[]) {
  const document = await dataUrlOf(acceptFile(task.files.file!, ACCEPTED))
  const payload = jsonPayload({ modelTypes, ...task.params, document, url: undefined })
  const original = await askForJson(tools, { path: '/scan', payload, proof: BASE64_PROOF }, readReply)
  return { original, units: measuredUnits(feature, task) }
}
