import type { Provider } from '../config/provider-settings.ts'
import { validationProblemOf } from '../contract/validation-problem.ts'
import { type Loc, valueError } from '../schema/issue-messages.ts'
import { foldName } from '../schema/fold-name.ts'
import type { ValidationIssue } from '../schema/validation-issue.ts'
import { type Fields, isRecord } from '../dialects/record.ts'
import { DESTINATION_PARTS, MODEL_SETTINGS, SHARED_TOKENS } from '../providers/output-destinations.ts'

/** As many as an answer tells. */
const MAX_ISSUES = 100
const NO_DESTINATION = 'Results are returned by the gateway: leave out where else they should go'
const NO_TOKEN = 'All callers share the account at the provider: leave out what makes two requests one'

/** Members of a caller's settings that would send a result elsewhere, or fetch that of somebody else. */
export function destinationIssues(settings: Fields, loc: Loc, providers: readonly Provider[] = []): ValidationIssue[] {
  const own = providers.flatMap(({ outputDestinations = [] }) => outputDestinations)
  const named = own.length === 0 ? [] : Object.keys(settings).filter((name) => own.includes(plain(name)))
  const found = named.slice(0, MAX_ISSUES).map((name) => valueError([...loc, name], NO_DESTINATION))
  addIssues(
    settings,
    undefined,
    (sentence, place) => found.push(valueError([...loc, ...wayTo(place)], sentence)) < MAX_ISSUES,
  )
  return found
}

/** For endpoints that pass on what they do not know. */
export function refuseDestinations(body: Fields): void {
  const issues = destinationIssues(body, ['body'])
  if (issues.length > 0) throw validationProblemOf(issues)
}

/** Where a value stands, from the inside out: nearly all places are passed and never told. */
type Place = { key: string | number; outer: Place } | undefined

/** Tells of each fault as long as more are wanted; false once they are not. */
function addIssues(value: unknown, place: Place, tell: (sentence: string, place: Place) => boolean): boolean {
  if (Array.isArray(value)) return value.every((item, index) => addIssues(item, { key: index, outer: place }, tell))
  if (!isRecord(value)) return true
  for (const name in value) {
    const inner = { key: name, outer: place }
    const sentence = value[name] == null ? undefined : whatIsWrong(plain(name))
    if (!(sentence ? tell(sentence, inner) : addIssues(value[name], inner, tell))) return false
  }
  return true
}

function wayTo(place: Place): Loc {
  return place ? [...wayTo(place.outer), place.key] : []
}

function whatIsWrong(name: string): string | undefined {
  if (SHARED_TOKENS.includes(name)) return NO_TOKEN
  return DESTINATION_PARTS.some((part) => part.test(name)) ? NO_DESTINATION : undefined
}

/** Settings without those that would choose another model than the model string does. */
export function withoutModel(settings: Fields): Fields {
  return Object.fromEntries(Object.entries(settings).filter(([name]) => !MODEL_SETTINGS.has(plain(name))))
}

function plain(name: string): string {
  return foldName(name).replace(/[^a-z0-9]/g, '')
}
