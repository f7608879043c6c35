import type { Provider } from '../../platform/config/provider-settings.ts'
import { validationProblemOf } from '../../contract/validation-problem.ts'
import { type Loc, valueError } from '../../base/schema/issue-messages.ts'
import { foldName } from '../../base/schema/fold-name.ts'
import type { ValidationIssue } from '../../base/schema/validation-issue.ts'
import { type Fields, isRecord } from '../../base/schema/record.ts'
import { DESTINATION_PARTS, MODEL_SETTINGS, SHARED_TOKENS } from '../../platform/providers/output-destinations.ts'
import { keepWritten } from '../../translation/json/written-numbers.ts'

/** As many as an error reply lists. */
const MAX_ISSUES = 100
const NO_DESTINATION = 'Results are returned by the gateway: leave out any other destination'
const NO_TOKEN = 'All callers share the account at the provider: leave out tokens that identify a request there'

/** Finds settings that would send a result elsewhere, or fetch the result of another caller. */
export function destinationIssues(settings: Fields, loc: Loc, providers: readonly Provider[] = []): ValidationIssue[] {
  const own = providers.flatMap(({ outputDestinations = [] }) => outputDestinations)
  const named = own.length === 0 ? [] : Object.keys(settings).filter((name) => own.includes(plain(name)))
  const found = named.slice(0, MAX_ISSUES).map((name) => valueError([...loc, name], NO_DESTINATION))
  addIssues(
    settings,
    undefined,
    (sentence, path) => found.push(valueError([...loc, ...locOf(path)], sentence)) < MAX_ISSUES,
  )
  return found
}

/** For endpoints that pass on unknown fields. */
export function refuseDestinations(body: Fields): void {
  const issues = destinationIssues(body, ['body'])
  if (issues.length > 0) throw validationProblemOf(issues)
}

/** The location of a value, from the inside out. It is cheap to build, because nearly no location is ever reported. */
type ValuePath = { key: string | number; outer: ValuePath } | undefined

/** Reports each issue to `report` until that returns false. Returns false if it did. */
function addIssues(value: unknown, path: ValuePath, report: (sentence: string, path: ValuePath) => boolean): boolean {
  if (Array.isArray(value)) return value.every((item, index) => addIssues(item, { key: index, outer: path }, report))
  if (!isRecord(value)) return true
  for (const name in value) {
    const inner = { key: name, outer: path }
    const sentence = value[name] == null ? undefined : whatIsWrong(plain(name))
    if (!(sentence ? report(sentence, inner) : addIssues(value[name], inner, report))) return false
  }
  return true
}

function locOf(path: ValuePath): Loc {
  return path ? [...locOf(path.outer), path.key] : []
}

function whatIsWrong(name: string): string | undefined {
  if (SHARED_TOKENS.includes(name)) return NO_TOKEN
  return DESTINATION_PARTS.some((part) => part.test(name)) ? NO_DESTINATION : undefined
}

/** The settings without those that would choose another model than the one in the request. */
export function withoutModel(settings: Fields): Fields {
  const remaining = Object.entries(settings).filter(([name]) => !MODEL_SETTINGS.has(plain(name)))
  return keepWritten(Object.fromEntries(remaining), settings)
}

function plain(name: string): string {
  return foldName(name).replace(/[^a-z0-9]/g, '')
}
