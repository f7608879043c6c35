import { OutOfSteps, type StepBudget } from '../step-budget.ts'

// Equality of JSON values as JSON Schema defines it. Comparing is charged to the budget.

/** Deeper than any schema may be. Answers may be deeper, and the stack is limited. */
const MAX_DEPTH = 200
/** The cost of writing a value as text, and how much longer that takes for a string than skipping it. */
const STEPS_PER_VALUE = 5
const STRING_WEIGHT = 4

export function isEqual(one: unknown, other: unknown, budget: StepBudget, depth = 0): boolean {
  budget.spend(1)
  if (typeof one === 'string' && typeof other === 'string') return isSameText(one, other, budget)
  if (!isHolder(one) || !isHolder(other)) return one === other
  if (Array.isArray(one) !== Array.isArray(other) || depth > MAX_DEPTH) return false
  const names = Object.keys(one)
  budget.spend(names.length)
  if (names.length !== Object.keys(other).length) return false
  return names.every((name) => Object.hasOwn(other, name) && isEqual(one[name], other[name], budget, depth + 1))
}

/** Whether the value is in the list. Simple values are looked up in a set that is built once per list. */
export function isOneOf(allowed: readonly unknown[], value: unknown, budget: StepBudget): boolean {
  const { simple, holders } = sortedOut(allowed, budget)
  if (!isHolder(value)) {
    if (typeof value === 'string') budget.spendChars(value.length)
    return simple.has(value)
  }
  return holders.some((one) => isEqual(one, value, budget))
}

/** Whether all items of a list are different. */
export function itemsDiffer(items: readonly unknown[], budget: StepBudget): boolean {
  const seen = new Set<string>()
  for (const item of items) {
    const text = canonical(item, budget)
    if (seen.has(text)) return false
    seen.add(text)
  }
  return true
}

type Sorted = { simple: ReadonlySet<unknown>; holders: readonly unknown[] }
const sortedLists = new WeakMap<readonly unknown[], Sorted>()

function sortedOut(allowed: readonly unknown[], budget: StepBudget): Sorted {
  const found = sortedLists.get(allowed)
  if (found) return found
  budget.spend(allowed.length)
  const sorted = { simple: new Set(allowed.filter((one) => !isHolder(one))), holders: allowed.filter(isHolder) }
  sortedLists.set(allowed, sorted)
  return sorted
}

/** The same text for equal values: members are sorted by name. */
function canonical(value: unknown, budget: StepBudget, depth = 0): string {
  if (depth > MAX_DEPTH) throw new OutOfSteps('This value is nested too deeply to be compared.')
  budget.spend(STEPS_PER_VALUE)
  if (!isHolder(value)) return simpleText(value, budget)
  const text = holderText(value, (one) => canonical(one, budget, depth + 1))
  budget.spendChars(text.length * STRING_WEIGHT)
  return text
}

function holderText(value: Record<string, unknown>, inner: (one: unknown) => string): string {
  if (Array.isArray(value)) return `[${value.map(inner).join()}]`
  const names = Object.keys(value).sort()
  return `{${names.map((name) => `${JSON.stringify(name)}:${inner(value[name])}`).join()}}`
}

function simpleText(value: unknown, budget: StepBudget): string {
  if (typeof value === 'string') budget.spendChars(value.length * STRING_WEIGHT)
  return JSON.stringify(value)
}

function isSameText(one: string, other: string, budget: StepBudget): boolean {
  if (one.length !== other.length) return false
  budget.spendChars(one.length)
  return one === other
}

function isHolder(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null
}
