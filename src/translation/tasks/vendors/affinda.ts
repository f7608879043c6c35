import Type, { type Static } from '../../../base/schema/type.ts'
import { mapOf, optional } from '../../../base/schema/fields.ts'
import { acceptFile } from '../inputs/accept-file.ts'
import { askForJson } from '../http/ask-provider.ts'
import { DOCX, OLD_OFFICE, SCANS, XLSX } from '../inputs/document-kinds.ts'
import { textAt, valueAt } from '../results/loose-fields.ts'
import { formPayload } from '../http/payload.ts'
import { abandoned } from '../http/refusal.ts'
import { replyReader } from '../http/reply-reader.ts'
import { ticketId } from '../http/ticket-id.ts'
import { untilDone } from '../http/until-done.ts'
import type { Task, Tools } from '../feature.ts'

// https://docs.affinda.com/reference. A document is uploaded to a collection of the account, whose extractor reads it, or to a
// workspace that chooses one. The operator names them. The document is deleted once it has been read.

const TEXTS = ['text/plain', 'text/rtf', 'application/rtf', 'text/html', 'application/vnd.oasis.opendocument.text']
const ACCEPTED = { types: [...SCANS, DOCX, XLSX, ...OLD_OFFICE, ...TEXTS], megabytes: 20 }

const WORKSPACE = 'AFFINDA_WORKSPACE'
/** The names of the operator's collections. Without a kind, the workspace decides by itself what a document is. */
const COLLECTIONS = {
  identity: 'AFFINDA_IDENTITY_COLLECTION',
  invoice: 'AFFINDA_INVOICE_COLLECTION',
  receipt: 'AFFINDA_RECEIPT_COLLECTION',
  resume: 'AFFINDA_RESUME_COLLECTION',
}

type AffindaKind = keyof typeof COLLECTIONS

const Reply = Type.Object({
  data: optional(mapOf(Type.Unknown()), 'What was read.'),
  meta: Type.Object({
    identifier: Type.String(),
    ready: Type.Boolean(),
    failed: optional(Type.Boolean(), 'It gave up.'),
    pages: Type.Optional(Type.Array(Type.Unknown())),
  }),
  error: Type.Optional(Type.Unknown()),
  extractor: optional(Type.String(), 'What it was read as.'),
})

const readReply = replyReader(Reply)

/** Extracts the data of the task's file. */
export async function askAffinda(
  tools: Tools,
  task: Pick<Task<unknown>, 'files' | 'params'>,
  kind: AffindaKind | undefined,
) {
  const fields = { wait: true, ...task.params, ...placeFor(kind, tools), file: undefined, url: undefined }
  const payload = await formPayload(fields, [{ field: 'file', file: acceptFile(task.files.file!, ACCEPTED) }])
  const sent = await askForJson(tools, { path: '/documents', payload }, readReply)
  const path = `/documents/${ticketId(sent.meta.identifier)}`
  const original = await readAt(path, sent, tools).finally(() => forget(path, tools))
  const { data, meta, error, extractor } = original
  if (meta.failed || !data) throw abandoned(tools, textAt(error, 'errorCode'), textAt(error, 'errorDetail'))
  return { original, data, extractor, pages: Math.max(1, meta.pages?.length ?? 1) }
}

/** What a field means if that is a text or a choice from a list, or else how it is printed. */
export function affindaText(fields: unknown, field: string): string | null {
  const choice = textAt(fields, field, 'parsed', 'label') ?? textAt(fields, field, 'parsed', 'value')
  return textAt(fields, field, 'parsed') ?? choice ?? textAt(fields, field, 'raw')
}

/** The values of a field that may have several. */
export function affindaEntries(fields: unknown, field: string): unknown[] {
  const found = valueAt(fields, field)
  return Array.isArray(found) ? found : found === undefined || found === null ? [] : [found]
}

/** The operator's collection or workspace; only the operator knows its id. */
function placeFor(kind: AffindaKind | undefined, tools: Tools) {
  const { name, value } = tools.setting(...(kind ? [COLLECTIONS[kind]] : []), WORKSPACE)
  return name === WORKSPACE ? { workspace: value } : { collection: value }
}

async function readAt(path: string, sent: Static<typeof Reply>, tools: Tools) {
  return isOver(sent) ? sent : await untilDone(() => look(tools, path), tools)
}

/** Deletes the document even if the caller has left. */
async function forget(path: string, tools: Tools): Promise<void> {
  const unhurried = { ...tools, signal: new AbortController().signal }
  await askForJson(unhurried, { method: 'DELETE', path }, () => undefined).catch(() => undefined)
}

async function look(tools: Tools, path: string) {
  const reply = await askForJson(tools, { path }, readReply)
  return isOver(reply) ? reply : ('pending' as const)
}

function isOver({ meta }: Static<typeof Reply>): boolean {
  return meta.ready || meta.failed === true
}
