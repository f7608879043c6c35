import Type from 'typebox'
import { mapOf, optional } from '../../contract/fields.ts'
import { acceptFile } from '../calls/accept-file.ts'
import { askForJson } from '../calls/ask-provider.ts'
import { DOCX, XLSX } from '../calls/document-kinds.ts'
import { textAt } from '../calls/loose-fields.ts'
import { formPayload } from '../calls/payload.ts'
import { givenUp } from '../calls/refusal.ts'
import { replyReader } from '../calls/reply-reader.ts'
import { ticketId } from '../calls/ticket-id.ts'
import { untilDone } from '../calls/until-done.ts'
import type { Task, Tools } from '../feature.ts'

// https://docs.affinda.com/reference. A document goes into a collection or a workspace of the account, which only the
// caller can name (provider_params). It is deleted there once it is read.

const ACCEPTED = {
  types: [
    ...['application/pdf', 'application/msword', DOCX, XLSX, 'application/vnd.oasis.opendocument.text'],
    ...['application/rtf', 'text/plain', 'text/html', 'image/png', 'image/jpeg', 'image/tiff'],
  ],
  megabytes: 20,
}

const Reply = Type.Object({
  data: optional(mapOf(Type.Unknown()), 'What was read.'),
  meta: Type.Object({
    identifier: Type.String(),
    ready: Type.Boolean(),
    failed: optional(Type.Boolean(), 'It gave up.'),
    pages: Type.Optional(Type.Array(Type.Unknown())),
  }),
  error: Type.Optional(Type.Unknown()),
})

const readReply = replyReader(Reply)

/** What it reads in the file of the task. */
export async function askAffinda(tools: Tools, task: Pick<Task<unknown>, 'files' | 'params'>) {
  const fields = { wait: true, ...task.params, file: undefined, url: undefined }
  const payload = await formPayload(fields, [{ field: 'file', file: acceptFile(task.files.file!, ACCEPTED) }])
  const sent = await askForJson(tools, { path: '/documents', payload }, readReply)
  const path = `/documents/${ticketId(sent.meta.identifier)}`
  const original = isOver(sent) ? sent : await untilDone(() => look(tools, path), tools)
  await askForJson(tools, { method: 'DELETE', path }, () => undefined).catch(() => undefined)
  const { data, meta, error } = original
  if (meta.failed || !data) throw givenUp(tools, textAt(error, 'errorCode'), textAt(error, 'errorDetail'))
  return { original, data, pages: Math.max(1, meta.pages?.length ?? 1) }
}

async function look(tools: Tools, path: string) {
  const reply = await askForJson(tools, { path }, readReply)
  return isOver(reply) ? reply : ('pending' as const)
}

function isOver({ meta }: Type.Static<typeof Reply>): boolean {
  return meta.ready || meta.failed === true
}
