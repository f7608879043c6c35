/** A function that models may call. `parameters` is a JSON schema. */
export type Tool = { name: string; description: string; parameters: Record<string, unknown> }

/** What is written into the form. */
export type ToolDraft = { name: string; description: string; parameters: string }

export const NEW_TOOL: ToolDraft = {
  name: '',
  description: '',
  parameters: `{
  "type": "object",
  "properties": {
    "city": { "type": "string" }
  },
  "required": ["city"]
}`,
}

export function draftOf({ name, description, parameters }: Tool): ToolDraft {
  return { name, description, parameters: JSON.stringify(parameters, null, 2) }
}

const NAME = /^[A-Za-z0-9_-]{1,64}$/
const TYPES = ['string', 'number', 'integer', 'boolean', 'object', 'array', 'null']

/** The tool, or what is wrong with it, for the person. */
export function toolOf({ name, description, parameters }: ToolDraft, others: readonly Tool[]): Tool | Error {
  if (!NAME.test(name)) return new Error('Name: use letters, digits, _ and -, up to 64 of them.')
  if (others.some((tool) => tool.name === name)) return new Error(`Name: there is a tool ${name} already.`)
  const schema = parsed(parameters)
  if (schema instanceof Error) return schema
  const wrong = wrongIn(schema)
  return wrong === undefined ? { name, description, parameters: schema } : new Error(`Parameters: ${wrong}`)
}

/** A tool without parameters has an empty object. */
function parsed(text: string): Record<string, unknown> | Error {
  if (text.trim() === '') return { type: 'object', properties: {} }
  try {
    const value: unknown = JSON.parse(text)
    return isObject(value) ? value : new Error('Parameters: write a JSON object.')
  } catch (error) {
    return new Error(`Parameters: this is not valid JSON. ${(error as Error).message}`)
  }
}

/** What providers refuse most often. They check the rest. */
function wrongIn({ type, properties = {}, required = [] }: Record<string, unknown>): string | undefined {
  if (type !== 'object') return 'the schema needs "type": "object".'
  if (!isObject(properties)) return '"properties" has to be an object.'
  for (const [name, property] of Object.entries(properties)) {
    if (!isObject(property)) return `"${name}" has to be a schema, such as { "type": "string" }.`
    const unknown = [property.type ?? []].flat().find((one) => !TYPES.includes(one as string))
    if (unknown !== undefined)
      return `"${name}" has the type ${JSON.stringify(unknown)}, which JSON Schema does not have.`
  }
  if (!Array.isArray(required)) return '"required" has to be a list of names.'
  const missing = required.find((name) => !Object.hasOwn(properties, name as string))
  return missing === undefined
    ? undefined
    : `"required" names ${JSON.stringify(missing)}, which is not in "properties".`
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

/** As the API takes them. */
export type ToolField = {
  type: 'function'
  function: { name: string; description?: string; parameters: Record<string, unknown> }
}

/** A server whose tools the gateway calls. */
export type ServerField = { type: 'mcp'; server_label: string }

export function serversField(names: readonly string[]): ServerField[] {
  return names.map((server_label) => ({ type: 'mcp', server_label }))
}

export function toolsField(tools: readonly Tool[]): ToolField[] {
  return tools.map(({ name, description, parameters }) => {
    return { type: 'function', function: { name, ...(description !== '' && { description }), parameters } }
  })
}
