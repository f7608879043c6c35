import type { MessagesRequest } from '../../../contract/messages.ts'
import { type Fields, recordOf, recordsIn } from '../../../base/schema/record.ts'
import { toText } from '../../../base/schema/to-primitive.ts'

/** An id that this gateway assigned. Ids of providers look different. */
const UPLOAD_ID = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/i

/** Whether a block refers to a file that was uploaded to this gateway. */
export function namesUpload({ messages }: MessagesRequest): boolean {
  return messages.some(({ content }) => recordsIn(content).some(blockNamesUpload))
}

function blockNamesUpload({ source, content }: Fields): boolean {
  const { type, file_id } = recordOf(source)
  return (type === 'file' && UPLOAD_ID.test(toText(file_id))) || recordsIn(content).some(blockNamesUpload)
}
