import type { Provider } from '../../platform/config/provider-settings.ts'
import type { Note } from '../../translation/dialects/chat-codec.ts'
import { type Fields, isRecord, ownOf } from '../../base/schema/record.ts'
import {
  FOR_EVERY_CHAT_PROVIDER,
  FOR_EVERY_PROVIDER,
  type GovernedField,
  REASONS,
  RETAINING_FIELDS,
} from '../../platform/providers/governed-fields.ts'

/** The caller's fields that may go to a provider. */
export type Governed = {
  fields: Fields
  notes: Note[]
  /** Whether one of them changes the price in a way that is not known here. */
  isUnpriced: boolean
}

/**
 * The fields that may go to this provider. Undefined if all of them may, which is nearly always so. Fields of the contract
 * are not checked here, because the gateway reads them itself. `keepsNothing`: no provider may be asked
 * to keep anything of the call.
 */
export function governFields(
  fields: Fields,
  contract: object,
  provider: Provider,
  keepsNothing = false,
): Governed | undefined {
  let governed: Governed | undefined
  for (const name in fields) {
    if (Object.hasOwn(contract, name) || fields[name] == null) continue
    const rule = keepsNothing && isRetaining(name, fields[name]) ? 'retention' : ruleFor(name, provider)
    if (!rule) continue
    governed ??= { fields: { ...fields }, notes: [], isUnpriced: false }
    apply(rule, name, governed)
  }
  return governed
}

function isRetaining(name: string, value: unknown): boolean {
  const harmless = ownOf(RETAINING_FIELDS, name)
  return harmless !== undefined && !harmless.includes(value)
}

function apply(rule: GovernedField, name: string, governed: Governed): void {
  if (rule === 'unpriced') {
    governed.isUnpriced = true
    return
  }
  const { why, keep } = typeof rule === 'string' ? { why: rule, keep: [] } : rule
  const allowed = isRecord(governed.fields[name]) ? onlyMembers(governed.fields[name], keep) : {}
  delete governed.fields[name]
  if (Object.keys(allowed).length > 0) governed.fields[name] = allowed
  governed.notes.push({ field: name, action: 'dropped', reason: REASONS[why] })
}

/** Items of a list that have this value: `skills[type=anthropic]`. */
const ITEMS = /^(\w+)\[(\w+)=(\w+)\]$/

/** A dotted name such as `gateway.zeroDataRetention` is a field within a field. */
function onlyMembers(value: Fields, paths: readonly string[]): Fields {
  const allowed: Fields = {}
  for (const path of paths) {
    const [, list, field, required] = ITEMS.exec(path) ?? []
    if (list !== undefined) {
      const items = Array.isArray(value[list])
        ? value[list].filter((item) => isRecord(item) && item[field!] === required)
        : []
      if (items.length > 0) allowed[list] = items
      continue
    }
    const [name, inner] = path.split('.') as [string, string?]
    const member = Object.hasOwn(value, name) ? value[name] : undefined
    if (inner === undefined) {
      if (member !== undefined) allowed[name] = member
    } else if (isRecord(member) && Object.hasOwn(member, inner)) {
      allowed[name] = { ...(allowed[name] as Fields | undefined), [inner]: member[inner] }
    }
  }
  return allowed
}

type Rules = { exact: ReadonlyMap<string, GovernedField>; prefixes: readonly [string, GovernedField][] }

/** Built once for each provider. */
const rules = new WeakMap<Provider, Rules>()

function ruleFor(name: string, provider: Provider): GovernedField | undefined {
  const { exact, prefixes } = rules.get(provider) ?? makeRules(provider)
  return exact.get(name) ?? prefixes.find(([prefix]) => name.startsWith(prefix))?.[1]
}

function makeRules(provider: Provider): Rules {
  const table = {
    ...FOR_EVERY_PROVIDER,
    ...(provider.dialect && FOR_EVERY_CHAT_PROVIDER),
    ...provider.governedFields,
  }
  const governed = Object.entries(table).filter(([name]) => !provider.allowFields?.includes(name))
  const isPrefix = ([name]: [string, GovernedField]) => name.endsWith('*')
  const made = {
    exact: new Map(governed.filter((entry) => !isPrefix(entry))),
    prefixes: governed.filter(isPrefix).map(([name, rule]): [string, GovernedField] => [name.slice(0, -1), rule]),
  }
  rules.set(provider, made)
  return made
}
