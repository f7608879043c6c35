import type { FilePart } from '../../../contract/chat.ts'
import type { Loc } from '../../../base/schema/issue-messages.ts'
import { cannotTake } from '../cannot-take.ts'
import { readFileData } from '../data-url.ts'
import { sniffBase64 } from '../sniff-base64.ts'

const BY_TYPE: Record<string, string> = {
  'application/pdf': 'pdf',
  'application/msword': 'doc',
  'application/vnd.openxmlformats-officedocument.wordprocessingml.document': 'docx',
  'application/vnd.ms-excel': 'xls',
  'application/vnd.openxmlformats-officedocument.spreadsheetml.sheet': 'xlsx',
  'text/csv': 'csv',
  'text/html': 'html',
  'text/markdown': 'md',
  'application/json': 'txt',
  'application/xml': 'txt',
}
const BY_EXTENSION: Record<string, string> = { htm: 'html', markdown: 'md', text: 'txt', json: 'txt', xml: 'txt' }
const FORMATS: ReadonlySet<string> = new Set(['pdf', 'csv', 'doc', 'docx', 'xls', 'xlsx', 'html', 'txt', 'md'])

const MAX_NAME_CHARS = 190

type Document = { format: string; name: string; source: { bytes: string } }

/** Names distinguish documents, so each gets a unique one. */
export function documentOf({ file }: FilePart, loc: Loc, names: Set<string>): Document {
  if (file.file_data === undefined)
    throw cannotTake([...loc, 'file', 'file_id'], 'Amazon Bedrock needs the bytes of a file, not the id of one')
  const { type, base64 } = readFileData(file.file_data)
  const filename = typeof file.filename === 'string' ? file.filename : ''
  const format = formatOf(type, filename, base64)
  if (!format)
    throw cannotTake([...loc, 'file'], 'Amazon Bedrock accepts PDF, Word, Excel, CSV, HTML, Markdown and text files')
  return { format, name: uniqueName(filename, names), source: { bytes: base64 } }
}

function formatOf(type: string, filename: string, base64: string): string | undefined {
  const extension = /\.([a-z0-9]+)$/i.exec(filename)?.[1]?.toLowerCase() ?? ''
  const named = BY_TYPE[type] ?? (FORMATS.has(extension) ? extension : BY_EXTENSION[extension])
  if (named) return named
  if (type.startsWith('text/')) return 'txt'
  return sniffBase64(base64) === 'application/pdf' ? 'pdf' : undefined
}

/** A name may contain only letters, digits, single spaces, hyphens and brackets. */
function uniqueName(filename: string, names: Set<string>): string {
  const plain = filename
    .replace(/\.[a-z0-9]+$/i, '')
    .replace(/[^a-zA-Z0-9\s()[\]-]+/g, '-')
    .replace(/\s+/g, ' ')
    .slice(0, MAX_NAME_CHARS)
    .trim()
  const first = plain || 'document'
  let name = first
  for (let count = 2; names.has(name); count++) name = `${first} ${count}`
  names.add(name)
  return name
}
