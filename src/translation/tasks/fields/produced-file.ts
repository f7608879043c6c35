import Type from '../../../base/schema/type.ts'

/** The content of a file that the task produced. */
export function base64Field(description: string) {
  return Type.String({ description: `${description} In base64.` })
}

export function resourceUrlField() {
  return Type.String({ description: 'A link to the same file that is valid for seven days by default.' })
}
