import Type, { type Static } from '../schema/type.ts'
import { nullable } from '../schema/fields.ts'

const error = Type.Object(
  {
    message: Type.String({ description: 'What went wrong, for people.' }),
    type: Type.String({ description: 'The family of errors it belongs to.' }),
    code: nullable(Type.String(), 'What went wrong, for programs.'),
    param: nullable(Type.String(), 'The field at fault, if it is one.'),
  },
  { description: 'The error.', additionalProperties: true },
)

export const ErrorBody = Type.Object({ error }, { title: 'ErrorBody', description: 'The body of every error.' })
export type ErrorBody = Static<typeof ErrorBody>

export const ValidationFault = Type.Object(
  {
    loc: Type.Array(Type.Union([Type.String(), Type.Integer()]), { description: 'The way to the field.' }),
    msg: Type.String({ description: 'What is wrong with it.' }),
    type: Type.String({ description: 'The kind of fault.' }),
  },
  { title: 'ValidationFault', description: 'One thing that is wrong with a request.' },
)
export type ValidationFault = Static<typeof ValidationFault>

export const ValidationErrorBody = Type.Object(
  { error, detail: Type.Array(ValidationFault, { description: 'Everything that is wrong, up to 100 entries.' }) },
  { title: 'ValidationErrorBody', description: 'The body of an error about an invalid request.' },
)
export type ValidationErrorBody = Static<typeof ValidationErrorBody>
