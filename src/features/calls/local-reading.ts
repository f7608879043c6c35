import type { ReadPage } from '../../contract/engines.ts'
import { namedLanguage } from '../language.ts'
import type { TaskFile, Tools } from '../feature.ts'
import { acceptFile } from './accept-file.ts'
import { declined } from './declined.ts'
import { primaryLanguage } from './language-tags.ts'
import { OFFICE, PDF, PICTURE_TYPES, readDocument } from './read-document.ts'

const MOST_SCANS = 100

/** What the engines that look at pictures can open. */
export const PICTURES = { types: PICTURE_TYPES, megabytes: 25 }
const READABLE = { types: [...PICTURE_TYPES, PDF, ...OFFICE], megabytes: 50 }

/** What is written on every page: the file's own text, or what can be made out in a picture. */
export async function readLocally(tools: Tools, file: TaskFile, language?: string | null): Promise<ReadPage[]> {
  const { type } = acceptFile(file, READABLE)
  if (PICTURE_TYPES.includes(type)) acceptFile(file, PICTURES)
  const pages = await readDocument(await file.bytes(), type, {
    run: tools.engine,
    mostScans: MOST_SCANS,
    beforePictures: () => refuseLanguage(language),
  })
  if (type !== PDF || pages.some(({ lines }) => lines.length > 0)) return pages
  throw declined('this PDF file holds no text, and none can be made out in its pictures', 422, 'no_text')
}

function refuseLanguage(language?: string | null): void {
  const named = primaryLanguage(namedLanguage(language))
  if (named && named !== 'en') throw declined('this engine reads English only', 422, 'unsupported_language')
}
