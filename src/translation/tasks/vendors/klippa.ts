import Type from '../../../base/schema/type.ts'
import { mapOf } from '../../../base/schema/fields.ts'
import { acceptFile } from '../inputs/accept-file.ts'
import { askForJson } from '../http/ask-provider.ts'
import { DOCX, OLD_OFFICE, SCANS } from '../inputs/document-kinds.ts'
import { formPayload } from '../http/payload.ts'
import { replyReader } from '../http/reply-reader.ts'
import type { Task, Tools } from '../feature.ts'

// https://custom-ocr.klippa.com/docs. A file is one request, however many pages it has.

const ACCEPTED = { types: [...SCANS, DOCX, ...OLD_OFFICE] }

const readReply = replyReader(Type.Object({ data: mapOf(Type.Unknown()) }))

/** Extracts the data of the task's file as a document of this kind. */
export async function askKlippa(tools: Tools, task: Pick<Task<unknown>, 'files' | 'params'>, kind = '') {
  const fields = { pdf_text_extraction: 'full', ...task.params, document: undefined, url: undefined }
  const payload = await formPayload(fields, [{ field: 'document', file: acceptFile(task.files.file!, ACCEPTED) }])
  const original = await askForJson(tools, { path: `/parseDocument${kind}`, payload }, readReply)
  return { original, data: original.data }
}
