import { pdfPages } from '../../base/sniff/pdf-pages.ts'
import { picturePages } from '../../base/sniff/picture-pages.ts'
import { mostSeconds } from '../../base/sniff/recording-length.ts'
import type { OpenFile } from '../../calls/files/open-file.ts'
import type { TaskFile } from '../../translation/tasks/feature.ts'
import { HEAD_BYTES } from '../../base/sniff/head-bytes.ts'
import { sniffType } from '../../base/sniff/sniff-type.ts'
import type { TempBytes } from '../../calls/files/temp-file-writer.ts'
import { countedBytes, type FileAccess, openReferences } from '../../calls/file-inputs/file-references.ts'
import { isResourceId } from '../../base/schema/resource-id.ts'
import type { CallServices } from '../../calls/services/call-services.ts'
import type { ValidationIssue } from '../../base/schema/validation-issue.ts'
import type { PreparedTask } from './prepare-task.ts'

type Files = {
  input: Record<string, unknown>
  fields: readonly string[]
  inline?: Readonly<Record<string, TempBytes>> | undefined
  locOf?: PreparedTask['locOf']
  access: FileAccess
}

/** The files of a task's input, by the path of their field: `file`, `reference_images.0`. */
export async function collectFiles(
  { input, fields, inline = {}, locOf = ofInput, access }: Files,
  services: CallServices,
): Promise<Record<string, TaskFile>> {
  const found = fields.flatMap((field) => referencesIn(field, input[field]))
  const named = found.map(({ path, reference }) => ({ reference, loc: locOf(path) }))
  const files = await openReferences(named, access, services)
  const counted: [string, TaskFile][] = []
  for (const [index, file] of files.entries())
    counted.push([found[index]!.path.join('.'), await measured(file, found[index]!.reference)])
  for (const [name, content] of Object.entries(inline)) counted.push([name, await measured(opened(content, access))])
  return Object.fromEntries(counted)
}

function ofInput(path: readonly (string | number)[]): ValidationIssue['loc'] {
  return ['body', 'input', ...path]
}

/** Image files that may have several pictures. */
const PAGED_IMAGES = ['image/tiff', 'image/gif']

/** Pages and seconds are paid for. The pages of an uploaded PDF were counted when it arrived. */
async function measured(file: OpenFile, reference = ''): Promise<TaskFile> {
  const { type, size } = file
  if (PAGED_IMAGES.includes(type)) return { ...file, mostPages: picturePages(await file.bytes()) }
  if (type.startsWith('audio/')) return { ...file, mostSeconds: mostSeconds(size, await firstBytes(file)) }
  if (isResourceId(reference) || type !== 'application/pdf') return file
  return { ...file, pages: await pdfPages(file.read()) }
}

function opened(content: TempBytes, access: FileAccess): OpenFile {
  const { length: size, head, read } = content
  return {
    name: 'file',
    type: sniffType(head.subarray(0, HEAD_BYTES)),
    size,
    pages: null,
    read,
    bytes: countedBytes(content, access),
  }
}

async function firstBytes({ read }: OpenFile): Promise<Uint8Array> {
  for await (const chunk of read()) return chunk
  return new Uint8Array()
}

function referencesIn(field: string, value: unknown): { path: (string | number)[]; reference: string }[] {
  if (typeof value === 'string') return [{ path: [field], reference: value }]
  if (!Array.isArray(value)) return []
  return value.flatMap((item, index) => (typeof item === 'string' ? [{ path: [field, index], reference: item }] : []))
}
