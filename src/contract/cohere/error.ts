import Type from '../../base/schema/type.ts'
import { freeObject } from '../../base/schema/fields.ts'

export const CohereError = Type.Object(
  {
    message: Type.String({ description: 'What went wrong.' }),
    error: freeObject({ description: 'The same as on other endpoints: `message`, `type`, `code` and `param`.' }),
  },
  { title: 'CohereError', description: 'An error, as clients of Cohere read it.', additionalProperties: true },
)
