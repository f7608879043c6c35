import { type Fields, recordOf, recordsIn, textOf } from '../../../base/schema/record.ts'
import { toText } from '../../../base/schema/to-primitive.ts'

/**
 * Chat annotations are nested; in this format they are flat. It knows documents only as files, so a cited document is a
 * file citation, with its place in the document beside it.
 */
export function flatAnnotation({ type, url_citation, document_citation, ...rest }: Fields): Fields {
  if (type !== 'document_citation') return { type, ...recordOf(url_citation), ...rest }
  const document = recordOf(document_citation)
  const { title, file_id, id, document_index, start_index, sources } = document
  const [source] = recordsIn(sources)
  const inner = recordOf(source?.document)
  return {
    type: 'file_citation',
    file_id: textOf(file_id) || textOf(id) || textOf(source?.id) || toText(document_index ?? ''),
    filename: textOf(title) || textOf(inner.title),
    index: start_index,
    ...document,
  }
}

/** The annotations of a provider of this format, as in a chat. */
export function nestedAnnotation({ type, ...rest }: Fields): Fields {
  return { type, [textOf(type)]: rest }
}
