import type { Content, OpenApiDocument } from '../../contract/openapi/document.ts'

// Looks things up in the document.

/** Resolves a `$ref`. Anything else is returned as it is. */
export function resolve<T extends { $ref?: string }>(value: T, { components }: OpenApiDocument): T {
  if (!value.$ref) return value
  const [, , section, name] = value.$ref.split('/')
  const place = components[section as 'schemas'] as Record<string, unknown> | undefined
  return (place?.[name ?? ''] ?? value) as T
}

export function titleOf(reference: string): string {
  return reference.slice(reference.lastIndexOf('/') + 1)
}

/** The first example, or an empty object if there is none. */
export function exampleOf(content: Content = {}): object {
  const example = Object.values(content).find(({ example }) => example !== undefined)?.example
  return typeof example === 'object' && example !== null ? example : {}
}
