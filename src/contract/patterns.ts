// What a caller is told when a string does not have the pattern or the format that its schema asks for.
import { type Loc, urlParsing, uuidParsing, valueError } from './fault-words.ts'
import type { Fault } from './problems.ts'

export const IMAGE_URL = '^(https://|data:image/)'

type Wording = (loc: Loc) => Fault

export const PATTERN_FAULTS: Record<string, Wording> = {
  [IMAGE_URL]: (loc) => urlParsing(loc, 'Input should be a URL that starts with https:// or data:image/'),
}

export const FORMAT_FAULTS: Record<string, Wording> = {
  uuid: uuidParsing,
  'date-time': (loc) => valueError(loc, 'Input should be a date and time such as 2030-01-31T12:00:00Z'),
}
