import type { ReadPage } from '../../../engine-api/engines.ts'
import { namedLanguage } from '../../fields/language.ts'
import type { TaskFile, Tools } from '../../feature.ts'
import { acceptFile } from '../../inputs/accept-file.ts'
import { declined } from '../../http/declined.ts'
import { primaryLanguage } from '../../inputs/language-tags.ts'
import { OFFICE, PDF, IMAGE_TYPES, readDocument } from './read-document.ts'

const MAX_SCANS = 100

/** Formats that the image engines can decode. */
export const IMAGE_KINDS = { types: IMAGE_TYPES, megabytes: 25 }
const READABLE = { types: [...IMAGE_TYPES, PDF, ...OFFICE], megabytes: 50 }

/** The text of every page: the file's own text, or recognized text. */
export async function readLocally(tools: Tools, file: TaskFile, language?: string | null): Promise<ReadPage[]> {
  const { type } = acceptFile(file, READABLE)
  if (IMAGE_TYPES.includes(type)) acceptFile(file, IMAGE_KINDS)
  const pages = await readDocument(await file.bytes(), type, {
    run: tools.engine,
    maxScans: MAX_SCANS,
    beforeImages: () => refuseLanguage(language),
  })
  if (type !== PDF || pages.some(({ lines }) => lines.length > 0)) return pages
  throw declined('this PDF file contains no text, and none could be recognized in its images', 422, 'no_text')
}

function refuseLanguage(language?: string | null): void {
  const named = primaryLanguage(namedLanguage(language))
  if (named && named !== 'en') throw declined('this engine reads English only', 422, 'unsupported_language')
}
