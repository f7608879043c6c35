import type { TaskFile, Tools } from '../feature.ts'

/** The output of a task that translates a document: its content and a link to it. */
export async function translatedDocument(tools: Tools, { name, type }: TaskFile, language: string, bytes: Uint8Array) {
  const ending = /\.\w{1,5}$/.exec(name)?.[0] ?? ''
  const translated = { name: `${name.slice(0, name.length - ending.length)}.${language}${ending}`, type, bytes }
  return { file: Buffer.from(bytes).toString('base64'), document_resource_url: await tools.keep(translated) }
}
