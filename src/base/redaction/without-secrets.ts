import { secretForms } from './secret-forms.ts'

const MARKER = '[redacted]'
/** Shorter secrets are parts of words that have nothing to do with them. Errors are searched for them all the same. */
const SHORTEST_IN_RESULTS_CHARS = 8

/** A text of a service without our secrets, in whatever form they are written. */
export function withoutSecrets(text: string, secrets: readonly string[]): string {
  return withoutForms(text, secrets.flatMap(secretForms))
}

/**
 * The JSON value that a service has answered with, without our secrets in its texts and in the names of its members: a service that
 * shows the request that it got shows how the gateway has authorized it. A value without secrets is returned as it is.
 */
export function jsonWithoutSecrets<Value>(value: Value, secrets: readonly string[]): Value {
  const forms = secrets.filter(({ length }) => length >= SHORTEST_IN_RESULTS_CHARS).flatMap(secretForms)
  return forms.length === 0 ? value : (cleaned(value, forms) as Value)
}

function cleaned(value: unknown, forms: readonly string[]): unknown {
  if (typeof value === 'string') return withoutForms(value, forms)
  if (typeof value !== 'object' || value === null) return value
  if (Array.isArray(value)) {
    const items = value.map((item) => cleaned(item, forms))
    return items.every((item, at) => item === value[at]) ? value : items
  }
  const members = Object.entries(value)
  const left = members.map(([name, member]) => [withoutForms(name, forms), cleaned(member, forms)] as const)
  const isSame = members.every(([name, member], at) => name === left[at]![0] && member === left[at]![1])
  return isSame ? value : Object.fromEntries(left)
}

function withoutForms(text: string, forms: readonly string[]): string {
  return forms.reduce((left, form) => (form ? left.replaceAll(form, MARKER) : left), text)
}
