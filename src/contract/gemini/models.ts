import Type, { type Static } from '../../base/schema/type.ts'
import { open } from '../../base/schema/fields.ts'

export const GeminiModel = Type.Object(
  {
    name: Type.String({ description: '`models/` and the name to use: `models/provider/model`.' }),
    baseModelId: Type.String({ description: 'The name to use.' }),
    version: Type.String({ description: 'Empty: the name has the version.' }),
    displayName: Type.String({ description: 'A name for people.' }),
    description: Type.Optional(Type.String({ description: 'What the model is good for.' })),
    inputTokenLimit: Type.Optional(Type.Integer({ minimum: 0, description: 'The maximum number of tokens to read.' })),
    outputTokenLimit: Type.Optional(
      Type.Integer({ minimum: 0, description: 'The maximum number of tokens to write.' }),
    ),
    supportedGenerationMethods: Type.Array(Type.String(), { description: 'The methods that the model supports.' }),
    thinking: Type.Boolean({ description: 'Whether the model reasons.' }),
  },
  { title: 'GeminiModel', description: 'A model in the Gemini format.', ...open },
)
export type GeminiModel = Static<typeof GeminiModel>

export const GeminiModelList = Type.Object(
  {
    models: Type.Array(GeminiModel, { description: 'The models of this page.' }),
    nextPageToken: Type.Optional(Type.String({ description: 'Send it as `pageToken` to get the next page.' })),
  },
  { title: 'GeminiModelList', description: 'Models that this key can call now, in the Gemini format.', ...open },
)
