import { recordsIn, isRecord, recordOf, textOf, type Fields } from '../../base/schema/record.ts'
import { keepResult } from '../../calls/files/files.ts'
import { linkTo } from '../../calls/files/result-links.ts'
import { keepsNothing } from '../../tenants/access/policy.ts'
import { tryParse } from '../../translation/json/try-parse.ts'
import type { ResourceLink, ToolResult } from '../../translation/mcp/tools.ts'
import type { EndpointAnswer, ToolKit } from './offered-tool.ts'

// What tools answer. A model reads all of a result, so that a long one is cut, and a link leads to the whole.

const MAX_RESULT_CHARS = 20_000
/** Longer texts of this form are bytes, which say nothing to a model. */
const MAX_BASE64_CHARS = 2_000
const BASE64 = /^(?:data:[\w./+-]+;base64,)?[A-Za-z0-9+/_-]+={0,2}$/
const MAX_ISSUES = 20

/** What a result says beside its output. */
type ResultFacts = { cost?: number | null; provider?: string; model?: string; request_id?: string }

/** The output of a tool as data. `text` is what the model reads, if that is not the data itself. */
export async function dataResult(
  output: unknown,
  facts: ResultFacts,
  kit: ToolKit,
  text?: string,
): Promise<ToolResult> {
  const shown = withoutBytes(output)
  const written = text ?? (typeof shown === 'string' ? shown : JSON.stringify(shown))
  const _meta = { ...facts }
  if (written.length <= MAX_RESULT_CHARS)
    return { content: [{ type: 'text', text: written }], structuredContent: { output: shown }, _meta }
  const link = await keepText(written, text === undefined && typeof shown !== 'string', kit)
  const beginning = beginningOf(written, link)
  // Claude Code and Codex give a model the structured content alone.
  const cut = { text: beginning, characters: written.length, ...(link && { uri: link.uri }) }
  return { content: [{ type: 'text', text: beginning }, ...(link ? [link] : [])], structuredContent: { cut }, _meta }
}

function beginningOf(written: string, link: ResourceLink | undefined): string {
  const where = link
    ? 'The link has all of it.'
    : 'The rest was not kept, as the data policy of this project or key demands.'
  const note = `\n\n[Cut after ${MAX_RESULT_CHARS} of ${written.length} characters. ${where}]`
  return written.slice(0, MAX_RESULT_CHARS).toWellFormed() + note
}

async function keepText(text: string, isJson: boolean, kit: ToolKit): Promise<ResourceLink | undefined> {
  const file = isJson ? { name: 'result.json', type: 'application/json' } : { name: 'result.txt', type: 'text/plain' }
  return await keepFile({ ...file, bytes: Buffer.from(text) }, kit)
}

/** Stores a file for the caller. Undefined if nothing of this caller may be stored. */
export async function keepFile(
  { name, type, bytes }: { name: string; type: string; bytes: Uint8Array },
  { caller, services }: ToolKit,
): Promise<ResourceLink | undefined> {
  if (keepsNothing(caller.policy)) return undefined
  const stored = await keepResult({ name, bytes }, caller, services.files)
  const uri = linkTo(stored, services.links)
  return { type: 'resource_link', uri, name, mimeType: type, size: bytes.byteLength }
}

/** The output without long Base64, which is in files beside it. */
function withoutBytes(value: unknown): unknown {
  if (typeof value === 'string')
    return value.length > MAX_BASE64_CHARS && BASE64.test(value) ? `(${value.length} characters of Base64)` : value
  if (Array.isArray(value)) return value.map(withoutBytes)
  if (!isRecord(value)) return value
  return Object.fromEntries(Object.entries(value).map(([name, member]) => [name, withoutBytes(member)]))
}

/** The schema of the structured content of a tool whose output has this schema. */
export function outputSchema(output: unknown): Fields {
  return {
    type: 'object',
    properties: {
      output,
      cut: {
        type: 'object',
        description: 'Instead of an output that is too long for a result.',
        properties: {
          text: { type: 'string', description: 'The beginning of the output.' },
          characters: { type: 'integer', description: 'The length of the whole output.' },
          uri: { type: 'string', description: 'Where it is.' },
        },
      },
    },
  }
}

export function jsonOf({ body }: EndpointAnswer): Fields {
  return recordOf(tryParse(body.toString('utf8')))
}

/** What the answer of an endpoint says about its call. */
export function factsOf({ headers }: EndpointAnswer, body: Fields = {}): ResultFacts {
  const cost = body.cost ?? headers['x-gatehouse-cost']
  const provider = textOf(body.provider) || headers['x-gatehouse-provider']?.toString()
  const model = textOf(body.model) || headers['x-gatehouse-model']?.toString()
  const id = headers['x-request-id']
  return {
    ...((cost !== undefined || 'cost' in body) && { cost: cost === null ? null : Number(cost) }),
    ...(provider && { provider }),
    ...(model && { model }),
    ...(typeof id === 'string' && { request_id: id }),
  }
}

export function isFailure({ status }: EndpointAnswer): boolean {
  return status < 200 || status >= 300
}

/** A refusal or a failure, as the model reads it: what is wrong, and where in its arguments. */
export function failureResult(answer: EndpointAnswer): ToolResult {
  const body = jsonOf(answer)
  const { message, code, type } = recordOf(body.error)
  const issues = recordsIn(body.detail).slice(0, MAX_ISSUES)
  const lines = issues.map(({ loc, msg }) => `${pathOf(loc)}: ${textOf(msg)}`)
  const text = [
    textOf(message) || `The request failed with status ${answer.status}.`,
    ...(lines.length > 1 ? lines : []),
  ]
  const retryAfter = Number(answer.headers['retry-after'])
  return {
    content: [{ type: 'text', text: text.join('\n').slice(0, MAX_RESULT_CHARS) }],
    isError: true,
    _meta: {
      ...factsOf(answer),
      status: answer.status,
      ...(textOf(code) && { code }),
      ...(textOf(type) && { type }),
      ...(Number.isFinite(retryAfter) && { retry_after_seconds: retryAfter }),
    },
  }
}

/** The members of `input` are arguments of the tool. */
function pathOf(loc: unknown): string {
  const path = Array.isArray(loc) ? loc.slice(loc[0] === 'body' ? 1 : 0) : []
  return (path[0] === 'input' && path.length > 1 ? path.slice(1) : path).join('.') || 'arguments'
}
