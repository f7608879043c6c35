import { EXTRA_HEADER_LIMITS } from '../../contract/chat-rules.ts'
import { MAX_HOOKS, POST_HOOKS, PRE_HOOKS } from '../../translation/hooks/index.ts'
import { isAbsentIfNull } from '../../base/schema/fields.ts'
import type { Schema } from '../../contract/openapi/document.ts'

/** Limits that the gateway enforces in code and not with its validator. By the name of the field. */
const LIMITS_IN_CODE: Readonly<Record<string, Schema>> = {
  extra_headers: EXTRA_HEADER_LIMITS,
  pre_hooks: { maxItems: MAX_HOOKS },
  post_hooks: { maxItems: MAX_HOOKS },
}
/** By the title of the hook. */
const ACTIONS: Readonly<Record<string, string[]>> = {
  PreHook: Object.keys(PRE_HOOKS),
  PostHook: Object.keys(POST_HOOKS),
}

/**
 * Rewrites a schema into one that code generators understand. It accepts the same values, with four exceptions: a list that
 * may be written as its only element is printed as a list; a field that is passed on unchecked has its usual type; what is always
 * true or always false is a boolean; and with `isWithoutNull`, for requests, a field that may be absent is not printed as one that may also be null. Generated clients send
 * null for every field of such a type that they were not given.
 */
export function portable(schema: Schema, isWithoutNull = false): Schema {
  const { oneOf, properties, ...rest } = freeElements(asList(oneText(flat(withActions(asBoolean(asPrinted(schema)))))))
  return {
    ...rest,
    ...(properties && { properties: portableFields(withoutTwins(properties), isWithoutNull) }),
    ...(isFree(schema) && { additionalProperties: true }),
    ...(oneOf && exclusive(oneOf)),
  }
}

/** The usual type of what is not checked. */
function asPrinted({ printed, ...schema }: Schema): Schema {
  return { ...schema, ...printed }
}

/** Of `true` or `false` alone, openapi-generator's Java makes an enumeration of texts that does not compile. */
function asBoolean(schema: Schema): Schema {
  if (typeof schema.const !== 'boolean') return schema
  const { const: value, description, ...rest } = schema
  return { ...rest, type: 'boolean', description: description ?? `Always ${value}.` }
}

/**
 * Of a text or a list of objects, the objects have no type that generators read: openapi-generator's Python loses their members,
 * and its Java cannot compile a list of maps there. Validators obey `if`, which generators ignore.
 */
function freeElements(schema: Schema): Schema {
  const { anyOf = [] } = schema
  if (anyOf.filter(({ type }) => type !== 'null').length < 2) return schema
  return { ...schema, anyOf: anyOf.map((part) => (hasObjects(part) ? withFreeElements(part) : part)) }
}

function hasObjects({ items }: Schema): boolean {
  return items?.type === 'object' || items?.anyOf !== undefined
}

function withFreeElements(list: Schema): Schema {
  return { ...list, items: { if: list.items, else: { not: {} } } }
}

/** Of one text or another, openapi-generator's Rust makes two variants of one name. Validators obey `if`, which generators ignore. */
function oneText(schema: Schema): Schema {
  const { anyOf = [], ...rest } = schema
  const [one, other, ...more] = anyOf.filter(({ type }) => type === 'string')
  if (!one || !other || more.length > 0) return schema
  const text = { type: 'string', if: one, else: other }
  const others = anyOf.filter((part) => part !== one && part !== other)
  return others.length === 0 ? { ...rest, ...text } : { ...rest, anyOf: [text, ...others] }
}

/** A union of a union is one union. */
function flat(schema: Schema): Schema {
  const { anyOf } = schema
  return anyOf ? { ...schema, anyOf: anyOf.flatMap((part) => (isOnlyUnion(part) ? part.anyOf! : [part])) } : schema
}

function isOnlyUnion(part: Schema): boolean {
  return part.anyOf !== undefined && Object.keys(part).length === 1
}

/** Generators make two fields of one name from `topP` and `top_p`. The second is still accepted, as a further field. */
function withoutTwins(properties: Record<string, Schema>): Record<string, Schema> {
  const camelCase = (name: string) => name.replace(/_([a-z])/g, (_, letter: string) => letter.toUpperCase())
  const isTwin = (name: string) => camelCase(name) !== name && Object.hasOwn(properties, camelCase(name))
  return Object.fromEntries(Object.entries(properties).filter(([name]) => !isTwin(name)))
}

/** Some generators write code that does not compile for a list of objects or one object. */
function asList(schema: Schema): Schema {
  const { anyOf = [], ...rest } = schema
  const [list, element] = anyOf
  const isEither = anyOf.length === 2 && list?.type === 'array' && element?.type === 'object'
  return isEither ? { ...rest, ...list } : schema
}

function withActions(schema: Schema): Schema {
  const actions = ACTIONS[schema.title ?? '']
  if (!actions || !schema.properties) return schema
  return { ...schema, properties: { ...schema.properties, action: { ...schema.properties.action, enum: actions } } }
}

/** Without `additionalProperties`, TypeScript generators make an object that may have no keys at all. */
function isFree({ type, properties, additionalProperties }: Schema): boolean {
  return type === 'object' && !properties && additionalProperties === undefined
}

function portableFields(properties: Record<string, Schema>, isWithoutNull: boolean): Record<string, Schema> {
  return Object.fromEntries(
    Object.entries(properties).map(([name, field]) => {
      const limited = withDefaultInWords(withLimits(field, name))
      return [name, isWithoutNull && isAbsentIfNull(field) ? withoutNull(limited) : limited]
    }),
  )
}

function withoutNull(field: Schema): Schema {
  const { anyOf = [], ...rest } = flat(field)
  return { ...rest, anyOf: anyOf.filter(({ type }) => type !== 'null') }
}

/**
 * Generated types make a field with a `default` required, and generated clients send it: `top_p: 1` is refused by models that
 * take no `top_p`. So the default of a field is a sentence of its description.
 */
function withDefaultInWords(field: Schema): Schema {
  if (!('default' in field)) return field
  const { default: fallback, description, ...rest } = field
  return { ...rest, description: [description, `Default: ${JSON.stringify(fallback)}.`].filter(Boolean).join(' ') }
}

function withLimits(field: Schema, name: string): Schema {
  const limits = LIMITS_IN_CODE[name]
  if (!limits) return field
  return { ...field, anyOf: field.anyOf?.map((part) => (part.type === 'null' ? part : { ...part, ...limits })) }
}

/**
 * Exactly one of two keys. Generators read `oneOf` as different types; they ignore `if` and `not`, which validators obey.
 */
function exclusive(alternatives: Schema[]): Schema {
  const [one, other] = alternatives
  if (!one || !other || alternatives.length > 2) throw new Error('Only a choice of two keys can be printed')
  return { if: one, else: other, not: { required: alternatives.flatMap(({ required = [] }) => required) } }
}
