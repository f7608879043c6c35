import type { TSchema } from '../../base/schema/type.ts'
import { FieldNames, twins } from '../../base/schema/field-names.ts'
import type { ValidationIssue } from '../../base/schema/validation-issue.ts'

// A provider with a case-insensitive JSON parser reads `{"content": "a", "Content": "b"}` as `b`, which no hook, limit or policy
// has seen. So inside of a body too, a name is written in one way only, except where names are the caller's own: in the members
// below, and in members that are not known here, in which the gateway reads, checks and drops nothing.

/** Their members are data: schemas and what they describe, arguments, variables, documents, labels, headers. */
const DATA: ReadonlySet<string> = new Set([
  ...['parameters', 'parametersJsonSchema', 'parameters_json_schema', 'input_schema', 'inputSchema', 'output_schema'],
  ...['schema', 'responseSchema', 'response_schema', 'responseJsonSchema', 'response_json_schema', 'guided_json'],
  ...['properties', 'patternProperties', '$defs', 'definitions', 'dependentSchemas', 'dependentRequired'],
  ...['dependencies', 'default', 'const', 'enum', 'examples'],
  ...['arguments', 'args', 'response', 'variables', 'chat_template_kwargs', 'data', 'documents', 'input_examples'],
  ...['requestMetadata', 'promptVariables'],
  ...['metadata', 'logit_bias', 'logitBias', 'labels', 'headers', 'extra_headers', 'env', 'user_webhook_parameters'],
])
/** Of a tool that was called, and of a task. A list under this name has messages. */
const DATA_AS_OBJECT = 'input'

/** Names that providers read inside of messages in their own formats, which the contracts do not describe one by one. */
const READ_BY_PROVIDERS = [
  ...['role', 'content', 'text', 'type', 'name', 'id', 'parts', 'source', 'url', 'uri'],
  ...['thinking', 'refusal', 'reasoning', 'tool_calls', 'tool_call_id', 'function', 'arguments', 'args'],
  ...['function_call', 'functionCall', 'functionResponse'],
  ...['image_url', 'input_audio', 'file', 'file_id', 'file_data', 'file_url', 'filename', 'inlineData', 'inline_data'],
  ...['fileData', 'fileUri', 'file_uri', 'mimeType', 'mime_type', 'media_type', 'data', 'input', 'output', 'summary'],
  ...['title', 'context', 'tool_use_id', 'call_id', 'cache_control', 'video_url', 'audio_url', 'document', 'documents'],
  ...['executableCode', 'codeExecutionResult', 'code', 'reasoning_content', 'reasoning_details', 'encrypted_content'],
]

/** Their members are sent at the top of a body, and are checked with those. */
const MORE_AT_THE_TOP: ReadonlySet<string> = new Set(['extra_body', 'provider_params'])

export class NestedNames {
  readonly #names: FieldNames
  readonly #atTheTop: FieldNames

  constructor(contracts: readonly TSchema[], atTheTop: FieldNames) {
    this.#atTheTop = atTheTop
    this.#names = new FieldNames([...READ_BY_PROVIDERS, ...contracts.flatMap((one) => [...namesInside(one)])])
  }

  /** Issues of one object inside of a body that has any. The names at the top of the body are not its subject. */
  issues(body: object): ValidationIssue[] {
    return this.#inMembers(body as Members, 'top').map((issue) => ({ ...issue, loc: ['body', ...issue.loc] }))
  }

  #inside(value: object, kind: MemberKind): ValidationIssue[] {
    if (!Array.isArray(value)) return this.#inMembers(value as Members, kind)
    for (let at = 0; at < value.length; at++) {
      const one: unknown = value[at]
      const issues = typeof one === 'object' && one !== null ? this.#inside(one, kind) : NONE
      if (issues.length > 0) return within(at, issues)
    }
    return NONE
  }

  /** Nearly always every name is known exactly, so that one lookup for each is enough. */
  #inMembers(object: Members, kind: MemberKind): ValidationIssue[] {
    let isKnown = true
    for (const name in object) {
      if (isKnown && !this.#names.has(name)) isKnown = false
      const value = object[name]
      if (typeof value !== 'object' || value === null || isData(name, value)) continue
      const issues = this.#inside(value, this.#kindOf(name, kind))
      if (issues.length > 0) return within(name, issues)
    }
    if (isKnown || kind === 'top') return NONE
    return kind === 'read' ? this.#names.issues(object, []) : twins(object)
  }

  #kindOf(name: string, within: MemberKind): MemberKind {
    if (within === 'top' && MORE_AT_THE_TOP.has(name)) return 'top'
    const names = within === 'top' ? this.#atTheTop : this.#names
    return within !== 'unknown' && names.has(name) ? 'read' : 'unknown'
  }
}

/** In a member that the gateway does not know, only two spellings of one name are read in two ways. */
type MemberKind = 'top' | 'read' | 'unknown'
type Members = Record<string, unknown>
const NONE: ValidationIssue[] = []

/** The place of an issue is built on the way back, because nearly always there is none. */
function within(name: string | number, issues: readonly ValidationIssue[]): ValidationIssue[] {
  return issues.map((issue) => ({ ...issue, loc: [name, ...issue.loc] }))
}

function isData(name: string, value: object): boolean {
  return DATA.has(name) || (name === DATA_AS_OBJECT && !Array.isArray(value))
}

/** The names of members of members, at all depths, as a contract describes them. */
function namesInside(schema: TSchema, names = new Set<string>(), isTop = true): Set<string> {
  const { properties = {}, items, anyOf = [], allOf = [], oneOf = [] } = schema as Described
  for (const [name, member] of Object.entries(properties)) {
    if (!isTop) names.add(name)
    if (!DATA.has(name)) namesInside(member, names, false)
  }
  for (const part of [...anyOf, ...allOf, ...oneOf]) namesInside(part, names, isTop)
  for (const item of items === undefined ? [] : [items].flat()) namesInside(item, names, false)
  return names
}

type Described = {
  properties?: Record<string, TSchema>
  items?: TSchema | TSchema[]
  anyOf?: TSchema[]
  allOf?: TSchema[]
  oneOf?: TSchema[]
}
