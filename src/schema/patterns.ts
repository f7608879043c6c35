// What a caller is told when a string does not have the pattern or the format that its schema asks for.
import Format from 'typebox/format'
import { type Loc, urlParsing, uuidParsing, valueError } from './issue-messages.ts'
import type { ValidationIssue } from './validation-issue.ts'

export const IMAGE_URL = '^(https://|data:image/)'

type Wording = (loc: Loc) => ValidationIssue

export const PATTERN_ISSUES: Record<string, Wording> = {
  [IMAGE_URL]: (loc) => urlParsing(loc, 'Input should be a URL that starts with https:// or data:image/'),
}

export const FORMAT_ISSUES: Record<string, Wording> = {
  uuid: uuidParsing,
  'date-time': (loc) => valueError(loc, 'Input should be a date and time such as 2030-01-31T12:00:00Z'),
  'file-input': (loc) => valueError(loc, 'Input should be the id of an uploaded file or an http(s) address'),
}

// A compiled check takes the format as it stands when it is compiled; whoever compiles has imported this file before.
Format.Set('file-input', isFileInput)

function isFileInput(value: string): boolean {
  return Format.IsUuid(value) || (/^https?:\/\//i.test(value) && URL.canParse(value))
}
