import { MAX_TAG_NAME_BYTES, MAX_TAGS } from '../calls/labels.ts'
import { valueError } from '../base/schema/issue-messages.ts'
import { MAX_LABEL_BYTES } from '../base/schema/label.ts'
import { validationProblem } from './problems.ts'

export const TAGS_HEADER = 'x-gatehouse-tags'
/** The name of the hosted original, which writes the names of tags in lower case. */
export const ORIGINAL_TAGS_HEADER = 'x-edenai-tags'

const TAG = new RegExp(`^([\\w.:/-]{1,${MAX_TAG_NAME_BYTES}})=([\\x20-\\x7e]{1,${MAX_LABEL_BYTES}})$`)

/** `team=search,env=prod`. A header that cannot be read is refused: otherwise its calls would be missing in reports. */
export function readTags(header: string | string[] | undefined, called = TAGS_HEADER): Record<string, string> | null {
  if (header === undefined) return null
  const pairs = String(header)
    .split(',', MAX_TAGS + 1)
    .map((pair) => TAG.exec(pair.trim()))
  if (pairs.length <= MAX_TAGS && pairs.every((pair) => pair !== null))
    return Object.fromEntries(pairs.map(([, name, value]) => [name!, value!.trimStart()]))
  const msg = `Value error, write up to ${MAX_TAGS} pairs as in team=search,env=prod: names of up to ${MAX_TAG_NAME_BYTES} letters, digits, . _ : / -, values of up to ${MAX_LABEL_BYTES} ASCII characters`
  throw validationProblem([valueError(['header', called], msg)])
}
