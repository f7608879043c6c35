import { isUtf8 } from 'node:buffer'
import { valueError } from '../../base/schema/issue-messages.ts'
import { type Problem, problem } from '../../contract/problems.ts'

// Parses the boundary of a form and the headers of its parts. Nothing is guessed: input that two parsers could understand
// differently is refused.

export type PartHeaders = { name: string; filename?: string; contentType?: string }

const BOUNDARY = /^[\w'()+,\-./:=?!#$%&*^`|~ ]{0,69}[\w'()+,\-./:=?!#$%&*^`|~]$/
const HEADER_LINE = /^([\w!#$%&'*+.^`|~-]+):[ \t]*(.*)$/s
const PARAMETER = /\s*;\s*([\w!#$%&'*+.^`|~-]+)=(?:"((?:[^"\\]|\\.)*)"|([^\s;"]+))/y
/** The names of fields and files go into logs, answers and headers, so they must not contain line breaks. */
const CONTROL = /\p{Cc}/u
const READABLE_CHARSETS = ['utf-8', 'utf8', 'us-ascii']
/** Encodings that leave the bytes unchanged. The others are for mail, and forms have long stopped using them. */
const READABLE_ENCODINGS = ['binary', '8bit', '7bit']

export function readBoundary(contentType: string, mayBeRelated = false): string {
  const [type = '', parameters] = splitHeader(contentType)
  if (type !== 'multipart/form-data' && !(mayBeRelated && type === 'multipart/related'))
    throw problem('unsupported_media_type', { message: 'This endpoint accepts files as multipart/form-data.' })
  const boundary = parameters?.get('boundary')
  if (!boundary)
    throw formProblem('The Content-Type has no boundary. Most clients set the header themselves if you leave it out.')
  if (!BOUNDARY.test(boundary)) throw formProblem('The boundary in the Content-Type is not valid.')
  return boundary
}

export function readPartHeaders(block: Buffer): PartHeaders {
  const headers = readLines(block)
  const name = readDisposition(headers.get('content-disposition') ?? '')
  const contentType = headers.get('content-type')
  const encoding = headers.get('content-transfer-encoding')?.toLowerCase() ?? 'binary'
  if (!READABLE_ENCODINGS.includes(encoding))
    throw formProblem('A part of the form has a Content-Transfer-Encoding. Send its bytes as they are.', name.name)
  if (contentType !== undefined) checkType(contentType, name)
  return contentType === undefined ? name : { ...name, contentType }
}

/** The problem for an invalid form. `name` is the field, if it is known. */
export function formProblem(sentence: string, name?: string): Problem {
  const loc = name === undefined ? ['body'] : ['body', name]
  return problem('validation_error', { message: sentence, param: name ?? null, detail: [valueError(loc, sentence)] })
}

function readLines(block: Buffer): Map<string, string> {
  if (!isUtf8(block)) throw formProblem('The headers of a part are not UTF-8.')
  const headers = new Map<string, string>()
  for (const line of block.toString('utf8').split('\r\n')) {
    const [, name = '', value = ''] = HEADER_LINE.exec(line) ?? []
    if (name === '' || CONTROL.test(value.replaceAll('\t', ' '))) throw formProblem('A part has a malformed header.')
    if (headers.has(name.toLowerCase())) throw formProblem(`A part has the header ${name} twice.`)
    headers.set(name.toLowerCase(), value.trim())
  }
  return headers
}

function readDisposition(header: string): PartHeaders {
  const [type, parameters] = splitHeader(header)
  if (type !== 'form-data' || !parameters)
    throw formProblem('A part has no Content-Disposition of the form: form-data; name="…".')
  const name = unescapeQuotes(parameters.get('name') ?? '')
  if (name === '') throw formProblem('A part of the form has no name.')
  const filename = readFilename(parameters, name)
  if (CONTROL.test(name + filename)) throw formProblem('The name of a field or file contains control characters.')
  return filename === undefined ? { name } : { name, filename }
}

/** `filename*` is not meant for forms, but some clients send it, and then it is better than `filename`. */
function readFilename(parameters: Map<string, string>, name: string): string | undefined {
  const extended = parameters.get('filename*')
  if (extended === undefined)
    return parameters.has('filename') ? unescapeQuotes(parameters.get('filename')!) : undefined
  const [, encoded] = /^utf-8'[^']*'(.*)$/i.exec(extended) ?? []
  try {
    if (encoded !== undefined) return decodeURIComponent(encoded)
  } catch {
    // The name is not valid percent-encoding, which is reported below.
  }
  throw formProblem('The filename* of a part is not UTF-8.', name)
}

function checkType(contentType: string, { name, filename }: PartHeaders): void {
  const [type = '', parameters] = splitHeader(contentType)
  if (type.startsWith('multipart/')) throw formProblem('A form within the form is not accepted.', name)
  const charset = parameters?.get('charset')?.toLowerCase()
  // A file may have any charset and is stored as it is.
  if (filename === undefined && charset !== undefined && !READABLE_CHARSETS.includes(charset))
    throw formProblem('The fields of a form must be UTF-8, but this field states another charset.', name)
}

/** Splits a header into its value and its parameters. The parameters are undefined if they are malformed or repeated. */
function splitHeader(header: string): [string, Map<string, string> | undefined] {
  const [type = ''] = header.split(';', 1)
  const parameters = new Map<string, string>()
  let position = type.length
  while (!/^[\s;]*$/.test(header.slice(position))) {
    PARAMETER.lastIndex = position
    const [whole, name = '', quoted, bare = ''] = PARAMETER.exec(header) ?? []
    if (whole === undefined || parameters.has(name.toLowerCase())) return [type.trim().toLowerCase(), undefined]
    parameters.set(name.toLowerCase(), quoted?.replace(/\\(["\\])/g, '$1') ?? bare)
    position += whole.length
  }
  return [type.trim().toLowerCase(), parameters]
}

/** Browsers write a quotation mark in a name as `%22`. */
function unescapeQuotes(text: string): string {
  return text.replaceAll('%22', '"')
}
