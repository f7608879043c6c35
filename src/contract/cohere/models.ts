import Type, { type Static } from '../../base/schema/type.ts'
import { nullable, open } from '../../base/schema/fields.ts'

export const CohereModel = Type.Object(
  {
    name: Type.String({ description: 'The name to use: `provider/model`.' }),
    is_deprecated: Type.Boolean({ description: 'Whether the day of its end is known.' }),
    endpoints: Type.Array(Type.String(), { description: 'The endpoints of this format that the model supports.' }),
    finetuned: Type.Literal(false),
    context_length: nullable(Type.Number(), 'The maximum number of tokens of a call. Null if it is not known.'),
    tokenizer_url: nullable(Type.String(), 'Always null.'),
    default_endpoints: Type.Array(Type.String(), { description: 'Always empty: no model is a default.' }),
    features: nullable(Type.Array(Type.String()), 'Always null.'),
  },
  { title: 'CohereModel', description: 'A model, as clients of Cohere know it.', ...open },
)
export type CohereModel = Static<typeof CohereModel>

export const CohereModelList = Type.Object(
  {
    models: Type.Array(CohereModel, { description: 'The models of this page.' }),
    next_page_token: nullable(Type.String(), 'Send it as `page_token` to get the next page. Null on the last page.'),
  },
  { title: 'CohereModelList', description: 'Models that this key can call now, as clients of Cohere list them.' },
)
