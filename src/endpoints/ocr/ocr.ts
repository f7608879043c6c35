import type { CallServices } from '../../calls/services/call-services.ts'
import { runParts } from '../../calls/attempts/run-call.ts'
import { type Call, knownCost } from '../../calls/call.ts'
import { heldBytes, type TempBytes } from '../../calls/files/temp-file-writer.ts'
import { refuseDestinations } from '../../calls/upstream/provider-params.ts'
import { valueError } from '../../base/schema/issue-messages.ts'
import { type Fields, recordOf, recordsIn } from '../../base/schema/record.ts'
import type { Static } from '../../base/schema/type.ts'
import type { OcrRequest, OcrPage, OcrReply } from '../../contract/ocr.ts'
import { validationProblemOf } from '../../contract/validation-problem.ts'
import type { Note } from '../../translation/dialects/chat-codec.ts'
import { readDataUrl } from '../../translation/dialects/data-url.ts'
import type { Result } from '../../translation/tasks/feature.ts'
import reading from '../../translation/tasks/ocr/ocr/feature.ts'
import { shortModels } from '../universal/discovery.ts'
import { doTask } from '../universal/do-task.ts'
import type { PreparedTask } from '../universal/prepare-task.ts'
import { taskTargets, type TaskTarget } from '../universal/task-targets.ts'
import { wantedPages } from './wanted-pages.ts'

const TASK = 'ocr/ocr'

/** The task `ocr/ocr` in the format of Mistral's OCR API. */
export function ocr(body: OcrRequest, call: Call, services: CallServices): Promise<OcrReply> {
  return runParts(
    async () => {
      const { target, result } = await doTask(prepared(body, call, services), call, services)
      return present(body, { target, result }, call)
    },
    call,
    services,
  )
}

/** The providers that the caller can read with. */
export function ocrModels({ caller }: Pick<Call, 'caller'>, services: CallServices) {
  return shortModels(reading, caller, services)
}

function prepared(body: OcrRequest, call: Call, services: CallServices): PreparedTask {
  refuseDestinations(body)
  wantedPages(body)
  const model = body.model.startsWith(`${TASK}/`) ? body.model : `${TASK}/${body.model}`
  const { file, inline, member } = documentOf(body)
  const targets = able(taskTargets({ model, fallbacks: body.fallbacks }, call.caller, services), body)
  const own = ownFields(body)
  return {
    feature: reading,
    targets,
    request: {
      model,
      input: file === undefined ? {} : { file },
      ...(targets.some(isOfFormat) && Object.keys(own).length > 0 && { provider_params: own }),
    },
    inline,
    locOf: () => ['body', 'document', member],
    paramsFor: (target, params) => (isOfFormat(target) ? params : {}),
  }
}

/** The provider gets the request as it is, and its answer is in the format already. */
function isOfFormat({ provider, doer }: TaskTarget): boolean {
  return provider.ocr === 'mistral' && doer.kind === 'adapter'
}

type Document = { member: string; file?: string; inline?: Record<string, TempBytes> }

/** A file by its id or address, or the bytes of a data URL. */
function documentOf({ document }: OcrRequest): Document {
  const { type, document_url, image_url, file_id } = document
  const member = type === 'file' ? 'file_id' : type
  const image = typeof image_url === 'object' ? image_url.url : image_url
  const reference = { document_url, image_url: image, file_id }[member]
  if (reference === undefined) throw validationProblemOf([valueError(['body', 'document', member], 'Field required')])
  const data = readDataUrl(reference)
  if (data) return { member, inline: { file: heldBytes(Buffer.from(data.base64, 'base64')) } }
  if (reference.length > MAX_URL_CHARS) {
    const msg = `A URL may have at most ${MAX_URL_CHARS} characters, unless it is a data URL`
    throw validationProblemOf([valueError(['body', 'document', member], msg)])
  }
  return { member, file: reference }
}

/** As everywhere in tasks. */
const MAX_URL_CHARS = 2_083

/** A caller with a question about the document waits for its answer, so only providers that can answer are asked. */
function able(targets: readonly TaskTarget[], body: OcrRequest): TaskTarget[] {
  const asked = QUESTIONS.find((name) => body[name] != null)
  const found = asked === undefined ? [...targets] : targets.filter(isOfFormat)
  if (found.length > 0) return found
  const names = [...new Set(targets.map(({ provider }) => provider.name))].join(', ')
  throw validationProblemOf([valueError(['body', asked!], `${names} does not answer questions about a document`)])
}

const QUESTIONS = ['bbox_annotation_format', 'document_annotation_format', 'document_annotation_prompt'] as const

/** Everything but what the gateway itself reads. */
function ownFields(body: OcrRequest): Fields {
  return Object.fromEntries(Object.entries(body).filter(([name, value]) => !GATEWAY_FIELDS.has(name) && value != null))
}

const GATEWAY_FIELDS: ReadonlySet<string> = new Set(['model', 'document', 'fallbacks', 'user', 'metadata'])

type Read = { target: TaskTarget; result: Result<unknown> }

function present(body: OcrRequest, { target, result }: Read, call: Call): OcrReply {
  const { pages, notes, ...rest } = isOfFormat(target) ? inFormat(result) : translated(body, result)
  call.record.note(notes)
  return {
    pages,
    model: target.id.slice(TASK.length + 1),
    ...rest,
    provider: target.provider.id,
    cost: knownCost(call),
  }
}

type Shown = Pick<OcrReply, 'pages' | 'document_annotation' | 'usage_info'> & { notes: readonly Note[] }

/** The adapter has checked what it reads of the answer. */
function inFormat({ original, units }: Result<unknown>): Shown {
  const { pages, document_annotation, usage_info } = recordOf(original)
  const { doc_size_bytes } = recordOf(usage_info)
  return {
    pages: recordsIn(pages).map(pageInFormat),
    document_annotation: typeof document_annotation === 'string' ? document_annotation : null,
    usage_info: {
      pages_processed: Math.round(units),
      doc_size_bytes: Number.isInteger(doc_size_bytes) ? Number(doc_size_bytes) : null,
    },
    notes: [],
  }
}

function pageInFormat({ index, markdown, images, dimensions, ...page }: Fields): OcrPage {
  const size = recordOf(dimensions)
  return {
    ...page,
    index: Number(index),
    markdown: String(markdown),
    images: recordsIn(images),
    dimensions: Object.keys(size).length > 0 ? size : null,
  }
}

/** Another provider has read the whole document. What is left out of its text was paid for. */
function translated(body: OcrRequest, { output }: Result<unknown>): Shown {
  // The output has been checked against the schema of the task.
  const { text, pages: read } = output as Static<(typeof reading)['output']>
  const wanted = wantedPages(body)
  const all = (read ?? [{ text }]).map((page, index) => ({ index, markdown: page.text, images: [], dimensions: null }))
  const isSelected = read !== undefined && wanted !== undefined
  return {
    pages: isSelected ? all.filter(({ index }) => wanted(index)) : all,
    document_annotation: null,
    usage_info: { pages_processed: all.length, doc_size_bytes: null },
    notes: notesOf(body, read !== undefined),
  }
}

function notesOf(body: OcrRequest, hasPages: boolean): Note[] {
  const unread = Object.keys(ownFields(body)).filter((name) => name !== 'pages' && name !== 'id')
  const notes = unread
    .filter((name) => body[name as keyof OcrRequest] !== false)
    .map((field): Note => ({ field, action: 'dropped', reason: 'this provider only reads the text' }))
  if (hasPages) return notes
  const reason = 'this provider does not tell the pages of a document apart: the first one has all the text'
  return [...notes, { field: 'pages', action: 'dropped', reason }]
}
