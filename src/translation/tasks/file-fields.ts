import type { TSchema } from '../../base/schema/type.ts'

/** Names of the input fields that contain files or lists of files. */
export function fileFieldsIn(input: TSchema): string[] {
  const { properties = {} } = input as { properties?: Record<string, unknown> }
  return Object.entries(properties)
    .filter(([, schema]) => JSON.stringify(schema).includes('"format":"file-input"'))
    .map(([name]) => name)
}
