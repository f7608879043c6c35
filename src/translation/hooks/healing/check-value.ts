import * as say from '../../../base/schema/issue-messages.ts'
import { isOfType } from '../../../base/schema/intended-branch.ts'
import { isRecord } from '../../../base/schema/record.ts'
import type { ValidationIssue } from '../../../base/schema/validation-issue.ts'
import type { PatternMachine } from '../patterns/pattern-machine.ts'
import { searchText } from '../patterns/search-text.ts'
import type { StepBudget } from '../step-budget.ts'
import { isEqual, isOneOf, itemsDiffer } from './equal-values.ts'
import { type ValuePath, locOf } from './place.ts'
import { openPattern, type TYPES } from './read-schema.ts'
import { schemaAt } from './schema-at.ts'
import { characterCount, numberIssue } from './simple-checks.ts'

// Checks a value against a JSON Schema that read-schema.ts has accepted. The schema is interpreted, because it is used
// once. All work that grows with its input is charged to a step budget, because both the schema and the value come from
// others.

const MAX_DEPTH = 200
const MAX_ISSUES = 20
const MAX_PATTERN_SHOWN = 100
/** A pattern takes this much longer for a character than skipping it does. */
const CHAR_WEIGHT = 8

type Schema = Record<string, unknown>

/** Lists what is wrong with the value, up to a limit. Throws `OutOfSteps` if the budget does not suffice. */
export function valueIssues(schema: unknown, value: unknown, budget: StepBudget): ValidationIssue[] {
  const found: ValidationIssue[] = []
  new Checker(schema, budget).check(schema, value, { path: undefined, depth: 0, found })
  return found
}

/** The position of the value, the depth in the schema, and the issues found so far. */
type At = { path: ValuePath; depth: number; found: ValidationIssue[] }

class Checker {
  readonly #root: unknown
  readonly #budget: StepBudget
  readonly #patterns = new Map<string, PatternMachine>()
  readonly #referred = new Map<string, unknown>()

  constructor(root: unknown, budget: StepBudget) {
    this.#root = root
    this.#budget = budget
  }

  check(schema: unknown, value: unknown, at: At): void {
    if (schema === true || schema === undefined || at.found.length >= MAX_ISSUES) return
    this.#budget.spend(1)
    if (schema === false || !isRecord(schema)) return this.#say(at, say.valueError, 'Nothing is allowed here')
    if (at.depth > MAX_DEPTH) return this.#say(at, say.valueError, 'The schema is nested too deeply to be checked')
    if (typeof schema.$ref === 'string') this.check(this.#refer(schema.$ref), value, deeper(at))
    this.#checkKind(schema, value, at)
    this.#checkCombinations(schema, value, at)
    if (Array.isArray(value)) this.#checkList(schema, value, at)
    else if (isRecord(value)) this.#checkObject(schema, value, at)
  }

  #checkKind(schema: Schema, value: unknown, at: At): void {
    const types = schema.type === undefined ? [] : ([schema.type].flat() as (typeof TYPES)[number][])
    this.#budget.spend(types.length)
    if (types.length > 0 && !types.some((type) => isType(value, type))) return this.#say(at, say.wrongType, types[0]!)
    if ('const' in schema && !isEqual(schema.const, value, this.#budget))
      return this.#say(at, say.notAmongAllowed, [schema.const])
    const allowed = schema.enum as unknown[] | undefined
    if (allowed && !isOneOf(allowed, value, this.#budget)) return this.#say(at, say.notAmongAllowed, allowed)
    if (typeof value === 'string') this.#checkString(schema, value, at)
    if (typeof value === 'number') at.found.push(...numberIssue(schema, value, () => this.#locAt(at)))
  }

  #checkString({ minLength, maxLength, pattern }: Schema, value: string, at: At): void {
    const isCounted = minLength !== undefined || maxLength !== undefined
    const length = isCounted ? characterCount(value, this.#budget) : 0
    if (length < Number(minLength ?? 0)) return this.#say(at, say.stringTooShort, Number(minLength))
    if (length > Number(maxLength ?? length)) return this.#say(at, say.stringTooLong, Number(maxLength))
    if (typeof pattern !== 'string' || this.#matches(pattern, value)) return
    const reported = pattern.length > MAX_PATTERN_SHOWN ? 'of the schema' : `'${pattern}'`
    this.#say(at, say.valueError, `String should match the pattern ${reported}`)
  }

  #matches(pattern: string, value: string): boolean {
    const machine = this.#patterns.get(pattern) ?? openPattern(pattern, this.#budget)
    this.#patterns.set(pattern, machine)
    this.#budget.spendChars(value.length * CHAR_WEIGHT)
    return searchText(machine, value) >= 0
  }

  #checkCombinations(schema: Schema, value: unknown, at: At): void {
    const { allOf = [], anyOf, oneOf, not } = schema as Record<string, unknown[] | undefined>
    for (const one of allOf) this.check(one, value, deeper(at))
    if (anyOf) at.found.push(...(this.#compare(anyOf, value, at, 1).nearest ?? []))
    if (oneOf) this.#checkOneOf(oneOf, value, at)
    if (not !== undefined && this.#issuesOf(not, value, at).length === 0)
      this.#say(at, say.valueError, 'This is not allowed here')
  }

  #checkOneOf(branches: unknown[], value: unknown, at: At): void {
    const { nearest, fitting } = this.#compare(branches, value, at, 2)
    if (fitting === 0) at.found.push(...(nearest ?? []))
    if (fitting > 1) this.#say(at, say.valueError, 'Input should fit only one of the alternatives')
  }

  /** Checks branches until the wanted number matches. If none matches, reports the issues of the closest branch. */
  #compare(branches: unknown[], value: unknown, at: At, required: number) {
    let [nearest, fitting]: [ValidationIssue[] | undefined, number] = [undefined, 0]
    for (const branch of branches) {
      const issues = this.#issuesOf(branch, value, at)
      if (issues.length === 0) fitting += 1
      if (!nearest || issues.length < nearest.length) nearest = issues
      if (fitting === required) break
    }
    return { nearest, fitting }
  }

  #issuesOf(schema: unknown, value: unknown, at: At): ValidationIssue[] {
    const found: ValidationIssue[] = []
    this.check(schema, value, { ...deeper(at), found })
    return found
  }

  #checkList(schema: Schema, value: unknown[], at: At): void {
    const { minItems, maxItems, uniqueItems, items, prefixItems = [] } = schema
    const first = prefixItems as unknown[]
    const checked = items === undefined || items === true ? Math.min(first.length, value.length) : value.length
    for (let index = 0; index < checked && at.found.length < MAX_ISSUES; index++)
      this.check(index < first.length ? first[index] : items, value[index], deeper(at, index))
    if (value.length < Number(minItems ?? 0)) this.#say(at, say.listTooShort, Number(minItems), value.length)
    if (value.length > Number(maxItems ?? value.length)) this.#say(at, say.listTooLong, Number(maxItems), value.length)
    if (uniqueItems === true && !itemsDiffer(value, this.#budget))
      this.#say(at, say.valueError, 'Items should all be different')
  }

  #checkObject(schema: Schema, value: Record<string, unknown>, at: At): void {
    const { required = [], properties = {}, additionalProperties, minProperties, maxProperties } = schema
    this.#checkRequired(required as string[], value, at)
    const names = this.#namesOf(value)
    for (const name of names) {
      if (at.found.length >= MAX_ISSUES) return
      if (Object.hasOwn(properties as object, name))
        this.check((properties as Schema)[name], value[name], deeper(at, name))
      else if (additionalProperties === false) this.#say(deeper(at, name), say.extra)
      else this.check(additionalProperties, value[name], deeper(at, name))
    }
    if (names.length < Number(minProperties ?? 0) || names.length > Number(maxProperties ?? names.length))
      this.#say(at, say.valueError, 'The object has too few or too many properties')
  }

  #checkRequired(required: readonly string[], value: object, at: At): void {
    this.#budget.spend(required.length)
    for (const name of required) {
      if (at.found.length >= MAX_ISSUES) return
      if (!Object.hasOwn(value, name)) this.#say(deeper(at, name), say.missing)
    }
  }

  #namesOf(value: object): string[] {
    const names = Object.keys(value)
    this.#budget.spend(names.length)
    return names
  }

  #refer(ref: string): unknown {
    if (!this.#referred.has(ref)) this.#referred.set(ref, schemaAt(ref, this.#root, this.#budget))
    return this.#referred.get(ref)
  }

  #say<Args extends unknown[]>(at: At, word: (loc: say.Loc, ...args: Args) => ValidationIssue, ...args: Args): void {
    if (at.found.length < MAX_ISSUES) at.found.push(word(this.#locAt(at), ...args))
  }

  #locAt({ path, depth }: At): say.Loc {
    this.#budget.spend(depth + 1)
    return locOf(path)
  }
}

function deeper({ path, depth, found }: At, key?: string | number): At {
  return { path: key === undefined ? path : { before: path, key }, depth: depth + 1, found }
}

function isType(value: unknown, type: (typeof TYPES)[number]): boolean {
  return type === 'integer' ? Number.isInteger(value) : isOfType(value, type)
}
