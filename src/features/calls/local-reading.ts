import type { ReadLine, ReadPage } from '../../contract/engines.ts'
import { namedLanguage } from '../language.ts'
import type { TaskFile, Tools } from '../feature.ts'
import { acceptFile } from './accept-file.ts'
import { declined } from './declined.ts'
import { primaryLanguage } from './language-tags.ts'

const PDF = 'application/pdf'

/** What the engines that look at pictures can open. */
export const PICTURES = { types: ['image/png', 'image/jpeg', 'image/webp'], megabytes: 25 }
const READABLE = { types: [...PICTURES.types, PDF], megabytes: 50 }

/** What is written on every page: a PDF file's own text, or what can be made out in a picture. */
export async function readLocally(tools: Tools, file: TaskFile, language?: string | null): Promise<ReadPage[]> {
  const { type } = acceptFile(file, READABLE)
  return type === PDF ? await readText(tools, file) : await readPicture(tools, acceptFile(file, PICTURES), language)
}

export function textOf(pages: readonly ReadPage[]): string {
  return pages.map(({ lines }) => lines.map(({ text }: ReadLine) => text).join('\n')).join('\n\n')
}

async function readText(tools: Tools, file: TaskFile): Promise<ReadPage[]> {
  const { pages } = await tools.engine('pdf', { bytes: await file.bytes() })
  if (pages.some(({ lines }) => lines.length > 0)) return pages
  throw declined('this PDF file holds no text, only pictures of it: send its pages as pictures', 422, 'no_text_layer')
}

async function readPicture(tools: Tools, file: TaskFile, language?: string | null): Promise<ReadPage[]> {
  const named = primaryLanguage(namedLanguage(language))
  if (named && named !== 'en') throw declined('this engine reads English only', 422, 'unsupported_language')
  return (await tools.engine('picture', { bytes: await file.bytes() })).pages
}
