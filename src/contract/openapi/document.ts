/** The parts of OpenAPI 3.1 that the document uses. */
export type OpenApiDocument = {
  openapi: string
  info: { title: string; version: string; summary: string; description: string; license: object }
  servers: { url: string }[]
  tags: { name: string }[]
  paths: Record<string, Record<string, Operation>>
  components: {
    schemas: Schemas
    responses: Record<string, Reply>
    headers: Record<string, { description: string; schema: Schema }>
    securitySchemes: Record<string, { type: string; description: string; [field: string]: string }>
  }
  /** Chapters of the docs page beside its operations. */
  'x-guides'?: Guide[]
}

/** A chapter of the docs page. In its texts, backticks mark code. */
export type Guide = { id: string; name: string; blocks: GuideBlock[] }
export type GuideBlock =
  | { text: string }
  | { list: string[] }
  | { label: string; code: string }
  | { heads: string[]; rows: string[][] }

export type Operation = {
  operationId: string
  tags: string[]
  summary: string
  description?: string
  /** Which permission the asker needs, on the admin listener. */
  'x-permission'?: string
  security?: Record<string, string[]>[]
  parameters?: Parameter[]
  requestBody?: { required: boolean; content: Content }
  responses: Record<string, Reply | Reference>
  /** What the gateway calls afterwards: by name, then by the expression of the address, then by method. */
  callbacks?: Record<string, OpenApiDocument['paths']>
}

export type Parameter = {
  name: string
  in: string
  required: boolean
  description?: string
  schema: Schema
  example?: unknown
}
export type Reply = { description: string; headers?: Record<string, Reference>; content?: Content }
export type Content = Record<
  string,
  { schema?: Schema; example?: unknown; examples?: Record<string, { value: unknown }> }
>
export type Reference = { $ref: string }

/** Schemas by title. */
export type Schemas = Record<string, Schema>

export type Schema = {
  $ref?: string
  title?: string
  description?: string
  type?: string
  properties?: Record<string, Schema>
  required?: string[]
  additionalProperties?: boolean | Schema
  items?: Schema
  anyOf?: Schema[]
  oneOf?: Schema[]
  if?: Schema
  else?: Schema
  /** What the document has instead of this schema; see `unchecked`. */
  printed?: Schema
  [keyword: string]: unknown
}
