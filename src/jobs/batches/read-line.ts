import { isRecord, recordOf } from '../../base/schema/record.ts'
import { withoutDashes } from '../../base/schema/resource-id.ts'
import type { BatchDoor } from '../../platform/store/batches/batches.ts'
import type { Lines } from './ask-line.ts'
import { type JsonBody, memberText, parseBody, readText, withEdit } from '../../translation/json/parse-body.ts'
import { BATCH_ENDPOINTS } from '../../contract/batch-endpoints.ts'
import { endpointOfModel } from './gemini-endpoint.ts'
import { Problem } from '../../contract/problems.ts'

// A line of a batch, in the shape that the clients of its door write.

/** The request that a line stands for. */
type ReadLine = { customId: string | null; url: string; body: string }

/** What is wrong with a line. */
export class LineFault extends Error {
  readonly code: string
  readonly param: string | null

  constructor(code: string, message: string, param: string | null = null) {
    super(message)
    this.code = code
    this.param = param
  }
}

/** What lines are checked against. */
export type LineRules = {
  door: BatchDoor
  /** What all lines are for, if the batch says so; of Gemini's, the address of the model. */
  endpoint: string | null
  endpointOf: Lines['endpointOf']
}

const URLS = BATCH_ENDPOINTS.join(', ')
const MAX_ID_CHARS = 512
const MAX_LABEL_CHARS = 4_096

export function readLine(bytes: Buffer, rules: LineRules): ReadLine {
  const line = parsed(bytes)
  if (!isRecord(line.value)) throw new LineFault('invalid_line', 'This line is not a JSON object.')
  return READERS[rules.door](line as JsonBody<Record<string, unknown>>, rules)
}

type Line = JsonBody<Record<string, unknown>>

const READERS: Record<BatchDoor, (line: Line, rules: LineRules) => ReadLine> = {
  openai: (line, { endpoint, endpointOf }) => {
    const { custom_id, method = 'POST', url } = line.value
    const customId = idIn(custom_id, 'custom_id')
    if (method !== 'POST') throw new LineFault('invalid_method', 'The method of a line has to be POST.', 'method')
    const meant = typeof url === 'string' ? endpointOf(url) : undefined
    if (meant === undefined) throw new LineFault('invalid_url', `The url has to be one of ${URLS}.`, 'url')
    if (endpoint !== null && meant !== endpoint)
      throw new LineFault(
        'mismatched_url',
        `This batch is for ${endpoint}, and the line is for another endpoint.`,
        'url',
      )
    return { customId, url: meant, body: bodyIn(line, 'body') }
  },
  anthropic: (line) => ({
    customId: idIn(line.value.custom_id, 'custom_id'),
    url: '/v3/v1/messages',
    body: bodyIn(line, 'params'),
  }),
  gemini: (line, { endpoint }) => {
    const { key, metadata } = line.value
    const body = bodyIn(line, 'request')
    return { customId: labelIn({ key, metadata }), ...withOwnModel(body, line.value.request, endpoint!) }
  },
}

function parsed(bytes: Buffer): JsonBody {
  try {
    return parseBody(bytes)
  } catch (error) {
    if (!(error instanceof Problem)) throw error
    throw new LineFault('invalid_json_line', error.message.replace(/^The body /, 'This line '))
  }
}

function idIn(value: unknown, param: string): string {
  if (typeof value !== 'string' || value === '')
    throw new LineFault('missing_custom_id', `A line has to have a ${param}, a text that no other line has.`, param)
  if (value.length > MAX_ID_CHARS || !value.isWellFormed() || value.includes('\0'))
    throw new LineFault(
      'invalid_custom_id',
      `A ${param} may have up to ${MAX_ID_CHARS} characters, without U+0000 and halves of surrogate pairs.`,
      param,
    )
  return value
}

/** A request may name another model than the batch, as clients of Google write it: not in the body of the request that it stands for. */
function withOwnModel(body: string, request: unknown, endpoint: string): Pick<ReadLine, 'url' | 'body'> {
  const { model } = recordOf(request)
  if (typeof model !== 'string') return { url: endpoint, body }
  const url = endpointOfModel(model.replace(/^models\//, ''))
  return { url, body: withEdit(readText(Buffer.from(body)), { set: {}, drop: MODEL }).text }
}

const MODEL: ReadonlySet<string> = new Set(['model'])

/** By what clients of Google recognize an answer: the key of a line in a file, the metadata of a request without a file; as JSON. */
function labelIn(label: { key: unknown; metadata: unknown }): string | null {
  const text = JSON.stringify(label)
  if (text.length > MAX_LABEL_CHARS)
    throw new LineFault('invalid_key', 'The key or the metadata of a line is too long.')
  return text === '{}' ? null : text
}

/** The body as it is written: parsing it and writing it again would change some numbers. */
function bodyIn(line: Line, member: string): string {
  const body = line.value[member]
  if (!isRecord(body)) throw new LineFault('missing_body', `A line has to have a ${member}, a JSON object.`, member)
  if (body.stream === true)
    throw new LineFault('invalid_stream', 'A line of a batch cannot stream its answer.', `${member}.stream`)
  if (body.background === true)
    throw new LineFault('invalid_background', 'A line of a batch cannot run in the background.', `${member}.background`)
  return line.repeated ? JSON.stringify(body) : memberText(line, member)!
}

/** The id of a line in answers. */
export function lineId(batch: string, number: number): string {
  return `batch_req_${withoutDashes(batch)}_${number}`
}
