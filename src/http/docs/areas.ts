import type { OpenApiDocument, Operation } from '../openapi/shape.ts'

export type Listed = { method: string; path: string; operation: Operation }
export type Area = { name: string; id: string; operations: Listed[] }

/** The chapters of the page: one for each tag, with its operations in the order of the document. */
export function areasOf({ tags, paths, webhooks = {} }: OpenApiDocument): Area[] {
  const operations = [...listed(paths), ...listed(webhooks)]
  return tags.map(({ name }) => ({
    name,
    id: `area-${name.toLowerCase().replaceAll(' ', '-')}`,
    operations: operations.filter(({ operation }) => operation.tags.includes(name)),
  }))
}

function listed(paths: OpenApiDocument['paths']): Listed[] {
  return Object.entries(paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, operation]) => ({ method: method.toUpperCase(), path, operation })),
  )
}
