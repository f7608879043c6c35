import { type Fields, recordsIn, textOf } from '../../../base/schema/record.ts'
import { isResourceId } from '../../../base/schema/resource-id.ts'

/** Whether an item refers to a file that was uploaded to this gateway. Ids of providers look different. */
export function namesUpload(items: readonly Fields[]): boolean {
  return items.some(({ content, output }) => [...recordsIn(content), ...recordsIn(output)].some(isUpload))
}

function isUpload({ file_id }: Fields): boolean {
  return isResourceId(textOf(file_id))
}
