import Type, { type Static } from '../base/schema/type.ts'
import { nullable } from '../base/schema/fields.ts'

const error = Type.Object(
  {
    message: Type.String({ description: 'A message for people.' }),
    type: Type.String({ description: 'The group that the error belongs to.' }),
    code: nullable(Type.String(), 'A code for programs.'),
    param: nullable(Type.String(), 'The field that caused the error, if there is one.'),
  },
  { description: 'The error.', additionalProperties: true },
)

export const ErrorBody = Type.Object({ error }, { title: 'ErrorBody', description: 'The body of every error.' })
export type ErrorBody = Static<typeof ErrorBody>

export const ValidationFault = Type.Object(
  {
    loc: Type.Array(Type.Union([Type.String(), Type.Integer()]), { description: 'The path to the field.' }),
    msg: Type.String({ description: 'What is wrong with it.' }),
    type: Type.String({ description: 'The kind of issue.' }),
  },
  { title: 'ValidationFault', description: 'One validation issue of a request.' },
)
export type ValidationFault = Static<typeof ValidationFault>

export const ValidationErrorBody = Type.Object(
  { error, detail: Type.Array(ValidationFault, { description: 'All validation issues, up to 100.' }) },
  { title: 'ValidationErrorBody', description: 'The body of an error about an invalid request.' },
)
export type ValidationErrorBody = Static<typeof ValidationErrorBody>
