// The messages for strings that do not match the pattern or the format of their schema.
import Format from 'typebox/format'
import { type Loc, urlParsing, uuidParsing, valueError } from './issue-messages.ts'
import type { ValidationIssue } from './validation-issue.ts'

export const IMAGE_URL = '^(https://|data:image/)'
export const SHORT_ID = '^[a-z0-9][a-z0-9._-]{0,62}$'
export const RESPONSE_ID = '^resp_[0-9a-f]{32}$'
export const CONVERSATION_ID = '^conv_[0-9a-f]{32}$'
export const BATCH_ID = '^batch_[0-9a-f]{32}$'

/** Of a video, as texts. */
export const SECONDS = '^[1-9][0-9]{0,3}$'
export const PIXELS = '^[1-9][0-9]{1,4}x[1-9][0-9]{1,4}$'

/** Of an MCP server behind the gateway. */
export const SERVER_NAME = '^[a-z0-9][a-z0-9_-]{0,31}$'

export const UPLOAD_ID = '^upload_[0-9a-f]{32}$'
/** At most nine decimals, which is a billionth of a dollar. */
export const AMOUNT = '^[0-9]{1,7}(?:[.][0-9]{1,9})?$'
/** Minutes, hours or days. */
export const IDLE_WINDOW = '^idle:[1-9][0-9]{0,3}[mhd]$'

/** Of a service: a query or a user name would be a secret in the wrong place. */
export const SERVICE_ADDRESS = '^https?://[^\\s/?#@]+(/[^\\s?#]*)?$'
export const ENV_CREDENTIAL = '^env:[A-Za-z_][A-Za-z0-9_]*$'
export const PROVIDER_CREDENTIAL = '^provider:[a-z0-9][a-z0-9_-]*$'
/** A word that a program chose, such as a reason. */
export const CODE_WORD = '^[A-Za-z0-9_.:/-]{1,64}$'

type Wording = (loc: Loc) => ValidationIssue

export const PATTERN_ISSUES: Record<string, Wording> = {
  [IMAGE_URL]: (loc) => urlParsing(loc, 'Input should be a URL that starts with https:// or data:image/'),
  [SHORT_ID]: (loc) =>
    valueError(
      loc,
      'Input should have lower-case letters, digits, dots, dashes and underscores, at most 63 characters',
    ),
  [SERVER_NAME]: (loc) =>
    valueError(loc, 'Input should have small letters, digits, dashes and underscores, at most 32 characters'),
  [RESPONSE_ID]: (loc) => valueError(loc, 'Input should be the id of a response: resp_ and 32 hexadecimal digits'),
  [BATCH_ID]: (loc) => valueError(loc, 'Input should be the id of a batch: batch_ and 32 hexadecimal digits'),
  [UPLOAD_ID]: (loc) => valueError(loc, 'Input should be the id of an upload: upload_ and 32 hexadecimal digits'),
  [SECONDS]: (loc) => valueError(loc, 'Input should be a number of seconds from 1 to 9999'),
  [PIXELS]: (loc) => valueError(loc, 'Input should be a width and a height in pixels, such as 1280x720'),
  [AMOUNT]: (loc) => valueError(loc, 'Input should be an amount in USD of at most 9 decimals, such as 50.00'),
  [IDLE_WINDOW]: (loc) =>
    valueError(
      loc,
      'Input should be second, minute, hour, day, week, month, total, or idle: and a time, such as idle:30m',
    ),
  [SERVICE_ADDRESS]: (loc) =>
    urlParsing(loc, 'Input should be an http(s) address without a user, a query and a fragment'),
  [ENV_CREDENTIAL]: (loc) => valueError(loc, 'Input should be env: and the name of an environment variable'),
  [PROVIDER_CREDENTIAL]: (loc) => valueError(loc, 'Input should be provider: and the id of a configured provider'),
  [CODE_WORD]: (loc) =>
    valueError(loc, 'Input should be a word of at most 64 letters, digits and the characters _ . : / -'),
  [CONVERSATION_ID]: (loc) =>
    valueError(loc, 'Input should be the id of a conversation: conv_ and 32 hexadecimal digits'),
}

export const FORMAT_ISSUES: Record<string, Wording> = {
  uuid: uuidParsing,
  'date-time': (loc) => valueError(loc, 'Input should be a date and time such as 2030-01-31T12:00:00Z'),
  'file-input': (loc) => valueError(loc, 'Input should be the id of an uploaded file or an http(s) address'),
}

// A compiled check uses the format as it is at compile time, so code that compiles schemas imports this file first.
Format.Set('file-input', isFileInput)

function isFileInput(value: string): boolean {
  return Format.IsUuid(value) || (/^https?:\/\//i.test(value) && URL.canParse(value))
}
