import type {
  Content,
  Guide,
  OpenApiDocument,
  Operation,
  Parameter,
  Reply,
  Schema,
} from '../../contract/openapi/document.ts'
import { constraintsOf, resolve, shapeOf, typeName, webhooksOf } from '../../contract/openapi/read-document.ts'

/** The document that the docs page shows, as one text in Markdown: for programs, and for readers without scripts. */
export function docsText(document: OpenApiDocument): string {
  const { info, servers, components, paths, 'x-guides': guides = [] } = document
  const operations = [...operationsIn(paths), ...operationsIn(webhooksOf(paths))]
  const base = servers[0]!.url
  const chat = paths['/v3/chat/completions']?.post?.requestBody?.content['application/json']?.example
  const schemas = Object.entries(components.schemas)
  return [
    `# ${info.title} API ${info.version}`,
    info.summary,
    info.description,
    `Base URL: ${base}`,
    chat !== undefined && `Clients of the chat-completions format: ${base}/v3`,
    chat !== undefined && fenced('sh', curlOf(`${base}/v3/chat/completions`, chat)),
    '## Authentication',
    'Send your key with each request, in one of these ways. Operations that need no key say so.',
    list(Object.values(components.securitySchemes).map(({ description }) => description)),
    ...guides.flatMap(guideText),
    '## Response headers',
    list(Object.entries(components.headers).map(([name, { description }]) => `\`${name}\`: ${description}`)),
    ...operations.flatMap(([title, operation]) => operationText(title, operation, document)),
    '## Schemas',
    ...schemas.flatMap(([title, schema]) => [`### ${title}`, schema.description, schemaText(schema, document)]),
  ]
    .filter(Boolean)
    .join('\n\n')
    .concat('\n')
}

function operationsIn(paths: OpenApiDocument['paths']): [title: string, operation: Operation][] {
  return Object.entries(paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, operation]): [string, Operation] => [
      `${method.toUpperCase()} ${path}`,
      operation,
    ]),
  )
}

function guideText({ name, blocks }: Guide): string[] {
  return [
    `## ${name}`,
    ...blocks.flatMap((block) => {
      if ('text' in block) return [block.text]
      if ('list' in block) return [list(block.list)]
      if ('code' in block) return [`${block.label}:`, fenced('', block.code)]
      return [
        [block.heads, block.heads.map(() => '---'), ...block.rows]
          .map((row) => `| ${row.map((cell) => cell.replaceAll('|', '\\|')).join(' | ')} |`)
          .join('\n'),
      ]
    }),
  ]
}

function operationText(title: string, operation: Operation, document: OpenApiDocument) {
  const { summary, description, security, parameters = [], requestBody, responses } = operation
  return [
    `## ${title}`,
    `${summary}${security?.length === 0 ? ' (needs no key)' : ''}`,
    description,
    parameters.length > 0 && `Parameters:\n\n${list(parameters.map(parameterText))}`,
    ...Object.entries(requestBody?.content ?? {}).map(([type, one]) => bodyText(type, one, document)),
    `Answers:\n\n${list(Object.entries(responses).map(([status, reply]) => replyText(status, resolve(reply as Reply & { $ref?: string }, document))))}`,
  ]
}

function parameterText({ name, in: location, required, description = '', schema }: Parameter): string {
  return `${named(name, schema, [`in the ${location}`, ...(required ? ['required'] : [])])}: ${description}`
}

function bodyText(type: string, { schema = {}, example }: Content[string], document: OpenApiDocument): string {
  const sample = example === undefined ? '' : `\n\n${fenced('json', JSON.stringify(example, null, 2))}`
  const fields = schema.$ref ? '' : `\n\n${schemaText(schema, document)}`
  return `Body, \`${type}\`: ${typeName(schema)}${fields}${sample}`
}

function replyText(status: string, { description, content = {} }: Reply): string {
  const codes = Object.values(content).flatMap(({ examples = {} }) => Object.keys(examples))
  if (codes.length > 0) return `${status}: ${codes.map((code) => `\`${code}\``).join(', ')}`
  const bodies = Object.entries(content).map(([type, { schema = {} }]) => `\`${type}\` ${typeName(schema)}`)
  return `${status}: ${[description, ...bodies].join(' ')}`
}

/** The fields of an object, with those of objects inside of it that have no name; anything else is its type. */
function schemaText(schema: Schema, document: OpenApiDocument, indent = ''): string {
  const { properties, required = [] } = schema
  if (!properties) return `${indent}${typeName(schema)}`
  return Object.entries(properties)
    .map(([name, field]) => {
      const description = field.description ?? resolve(field, document).description ?? ''
      const line = `${indent}- ${named(name, field, required.includes(name) ? ['required'] : [])}: ${description}`
      return [line, ...objectsIn(field).map((inner) => schemaText(inner, document, `${indent}  `))].join('\n')
    })
    .join('\n')
}

function objectsIn(schema: Schema): Schema[] {
  const { properties, items, anyOf = [], additionalProperties: values } = shapeOf(schema)
  if (properties) return [schema]
  return [...anyOf, ...(items ? [items] : []), ...(typeof values === 'object' ? [values] : [])].flatMap(objectsIn)
}

function named(name: string, schema: Schema, facts: readonly string[]): string {
  return `\`${name}\` (${[typeName(schema), ...facts, ...constraintsOf(schema)].join(', ')})`
}

function curlOf(url: string, body: unknown): string {
  const json = JSON.stringify(body, null, 2).replaceAll("'", "'\\''")
  return `curl ${url} \\\n  -H "Authorization: Bearer $GATEHOUSE_API_KEY" \\\n  -H "Content-Type: application/json" \\\n  -d '${json}'`
}

function fenced(language: string, code: string): string {
  return `\`\`\`${language}\n${code}\n\`\`\``
}

function list(items: readonly string[]): string {
  return items.map((item) => `- ${item}`).join('\n')
}
