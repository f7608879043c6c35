import Type from '../../../../base/schema/type.ts'
import { acceptFile } from '../../inputs/accept-file.ts'
import { askForAnswer, askForJson } from '../../http/ask-provider.ts'
import { DOCX, PPTX, XLSX } from '../../inputs/document-kinds.ts'
import { formPayload, jsonPayload } from '../../http/payload.ts'
import { abandoned } from '../../http/refusal.ts'
import { replyReader } from '../../http/reply-reader.ts'
import { TaskFailure } from '../../http/task-failure.ts'
import { ticketId } from '../../http/ticket-id.ts'
import { translatedDocument } from '../../results/translated-document.ts'
import { slowAdapter, type TaskFile, type Tools } from '../../feature.ts'
import { DEEPL_PROOF, deeplLanguages } from '../../vendors/deepl.ts'
import documentTranslation from './feature.ts'

// https://developers.deepl.com/docs/api-reference/document. A result can be downloaded once.

const readTicket = replyReader(Type.Object({ document_id: Type.String(), document_key: Type.String() }))

const readState = replyReader(
  Type.Object({
    status: Type.String(),
    error_message: Type.Optional(Type.Unknown()),
    message: Type.Optional(Type.Unknown()),
  }),
)

const DOCUMENTS = {
  types: [DOCX, PPTX, XLSX, 'application/pdf', 'application/xliff+xml', 'text/html', 'text/plain'],
  megabytes: 30,
}

type Ticket = { document_id: string; document_key: string; language: string; file: Omit<TaskFile, 'bytes'> }

export default slowAdapter<typeof documentTranslation, Ticket>(documentTranslation, {
  async start(task, tools) {
    const file = acceptFile(task.files.file!, DOCUMENTS)
    const fields = { ...deeplLanguages(task.input), ...task.params, file: undefined }
    const payload = await formPayload(fields, [{ field: 'file', file }])
    const ticket = await askForJson(tools, { path: '/document', payload, proof: DEEPL_PROOF }, readTicket)
    const { document_key } = ticket
    const document_id = ticketId(ticket.document_id)
    const { name, type, size, pages } = file
    return { document_id, document_key, language: task.input.target_language, file: { name, type, size, pages } }
  },
  async poll(ticket, tools) {
    const original = await askForJson(tools, questionFor(ticket, ''), readState)
    if (original.status === 'error') throw abandoned(tools, null, original.error_message ?? original.message)
    if (original.status !== 'done') return 'pending'
    return { output: await fetched(ticket, tools), original, units: ticket.file.pages ?? 1 }
  },
})

function questionFor({ document_id, document_key }: Ticket, part: '' | '/result') {
  return { path: `/document/${document_id}${part}`, payload: jsonPayload({ document_key }), proof: DEEPL_PROOF }
}

/** A document may be a text file, so its type does not distinguish it from an error. */
async function fetched(ticket: Ticket, tools: Tools) {
  const { bytes } = await askForAnswer(tools, questionFor(ticket, '/result'))
  if (bytes.length === 0) throw new TaskFailure('garbage', 'the answer of the provider contains no document')
  return await translatedDocument(tools, { ...ticket.file, bytes: async () => bytes }, ticket.language, bytes)
}
