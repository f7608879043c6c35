import type { FilePart } from '../../../contract/chat.ts'
import type { Loc } from '../../../base/schema/issue-messages.ts'
import { cannotTake } from '../cannot-take.ts'
import { readFileData } from '../data-url.ts'
import { textOf } from '../../../base/schema/record.ts'
import { textOfBase64 } from '../text-of-base64.ts'

type DocumentData = { text: string; title: string }

/** Cohere reads documents as text, so a file has to be a text. */
export function documentData({ file }: FilePart, loc: Loc): DocumentData {
  if (file.file_data === undefined)
    throw cannotTake([...loc, 'file', 'file_id'], 'Cohere needs the text of a file, not the id of one')
  const text = textOfBase64(readFileData(file.file_data).base64)
  if (text === undefined) throw cannotTake([...loc, 'file'], 'Cohere accepts text files only')
  return { text, title: textOf(file.filename) || 'document' }
}
