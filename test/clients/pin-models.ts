import type { OpenApiDocument, Schema } from '../../src/contract/openapi/document.ts'

type Example = { model?: string; input?: Record<string, unknown> }

/** Fields with names of models, which a generator cannot guess. */
const OTHER_MODELS = ['fallbacks', 'router_candidates']

/** The document with the models of its examples only, so that generated requests get past the choice of a model. */
export function withPinnedModels(document: OpenApiDocument): OpenApiDocument {
  const pinned = structuredClone(document)
  for (const { schema, example } of bodiesOf(pinned)) {
    const named = pinned.components.schemas[schema?.$ref?.split('/').at(-1) ?? '']
    if (named?.properties) pin(named.properties, (example ?? {}) as Example)
  }
  return pinned
}

function bodiesOf({ paths }: OpenApiDocument) {
  const operations = Object.values(paths).flatMap((methods) => Object.values(methods))
  return operations.flatMap(({ requestBody }) => Object.values(requestBody?.content ?? {}))
}

function pin(fields: Record<string, Schema>, { model, input }: Example): void {
  if (model === undefined) return
  fields.model = { type: 'string', enum: [model] }
  for (const name of OTHER_MODELS)
    if (fields[name]) fields[name] = { type: 'array', maxItems: 2, items: { type: 'string', enum: [model] } }
  if (!input || Array.isArray(input) || typeof input !== 'object') return
  const keys = Object.keys(input)
  const properties = Object.fromEntries(keys.map((key) => [key, { type: 'string', minLength: 1 }]))
  fields.input = { type: 'object', properties, required: keys, additionalProperties: false }
}
