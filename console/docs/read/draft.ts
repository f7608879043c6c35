import type { Content, OpenApiDocument, Parameter, Schema } from '../../../src/contract/openapi/document.ts'
import { literal } from '../../parts/literal.ts'
import type { Listed } from './document.ts'
import { fieldsOf } from './fields.ts'

/** What a reader has written into the form of an operation. It begins with the example of the document. */
export type Draft = {
  /** By the name of the parameter. */
  parameters: Readonly<Record<string, string>>
  /** The media type of the body, if the operation takes one. */
  type: string | undefined
  /** The text of a JSON body. */
  body: string
  /** The fields of a form, and its files. */
  form: Readonly<Record<string, string>>
  files: Readonly<Record<string, readonly File[]>>
}

export const JSON_TYPE = 'application/json'

export function newDraft({ operation }: Listed, document: OpenApiDocument): Draft {
  const { parameters = [], requestBody } = operation
  const content = requestBody?.content ?? {}
  const [type] = Object.keys(content)
  const form = Object.entries(content).find(([name]) => name !== JSON_TYPE)?.[1]
  return {
    parameters: Object.fromEntries(parameters.map((one) => [one.name, beginningOf(one)])),
    type,
    body: exampleText(content),
    form: form ? formExample(form, document) : {},
    files: {},
  }
}

/** The path with its parameters and its query. */
export function pathOf({ path, operation }: Listed, draft: Draft): string {
  const { parameters = [] } = operation
  const filled = path.replace(/\{(\w+)\}/g, (_, name: string) => encodeURIComponent(draft.parameters[name] ?? ''))
  const query = parameters.filter(({ in: place, name }) => place === 'query' && draft.parameters[name])
  const text = new URLSearchParams(
    query.map(({ name }): [string, string] => [name, draft.parameters[name]!]),
  ).toString()
  return text === '' ? filled : `${filled}?${text}`
}

export function headersOf({ operation }: Listed, draft: Draft): Record<string, string> {
  const headers = (operation.parameters ?? []).filter(({ in: place }) => place === 'header')
  return Object.fromEntries(
    headers.flatMap(({ name }) => (draft.parameters[name] ? [[name, draft.parameters[name]!]] : [])),
  )
}

export function formSchema({ operation }: Listed, type: string | undefined): Schema {
  return operation.requestBody?.content[type ?? '']?.schema ?? {}
}

/** A field that takes one file or several of them. */
export function isFile({ format, items }: Schema): boolean {
  return format === 'binary' || items?.format === 'binary'
}

function beginningOf({ in: place, required, example }: Parameter): string {
  return example !== undefined && (place === 'path' || required) ? String(example) : ''
}

function exampleText(content: Content): string {
  const json = content[JSON_TYPE]
  return json ? literal(json.example ?? {}, 'json') : ''
}

function formExample({ schema = {}, example }: Content[string], document: OpenApiDocument): Record<string, string> {
  const given = (example ?? {}) as Record<string, unknown>
  const texts = fieldsOf(schema, document).filter((field) => !isFile(field.schema))
  return Object.fromEntries(texts.map(({ name }) => [name, given[name] === undefined ? '' : String(given[name])]))
}
