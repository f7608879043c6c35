import { pdfPages } from '../blobs/sniff/pdf-pages.ts'
import type { OpenFile } from '../files/open-file.ts'
import type { TaskFile } from '../tasks/feature.ts'
import { type FileAccess, openReferences } from '../file-inputs/file-references.ts'
import { isResourceId } from '../schema/resource-id.ts'
import type { AppContext } from '../app/context.ts'

type Files = { input: Record<string, unknown>; fields: readonly string[]; access: FileAccess }

/** The files of a task's input, by the path of their field: `file`, `reference_images.0`. */
export async function collectFiles(
  { input, fields, access }: Files,
  context: AppContext,
): Promise<Record<string, TaskFile>> {
  const found = fields.flatMap((field) => referencesIn(field, input[field]))
  const named = found.map(({ path, reference }) => ({ reference, loc: ['body', 'input', ...path] }))
  const files = await openReferences(named, access, context)
  const counted: [string, TaskFile][] = []
  for (const [index, file] of files.entries())
    counted.push([found[index]!.path.join('.'), await withPages(file, found[index]!.reference)])
  return Object.fromEntries(counted)
}

/** Pages are paid for. Those of an upload were counted when it arrived, those of a file from an address are counted here. */
async function withPages(file: OpenFile, reference: string): Promise<TaskFile> {
  if (isResourceId(reference) || file.type !== 'application/pdf') return file
  return { ...file, pages: await pdfPages(file.read()) }
}

function referencesIn(field: string, value: unknown): { path: (string | number)[]; reference: string }[] {
  if (typeof value === 'string') return [{ path: [field], reference: value }]
  if (!Array.isArray(value)) return []
  return value.flatMap((item, index) => (typeof item === 'string' ? [{ path: [field, index], reference: item }] : []))
}
