import Type, { type Static } from '../base/schema/type.ts'
import { freeObject, nullable, open, openObject, optional } from '../base/schema/fields.ts'

const some = { minItems: 1 }
const part = openObject('ModerationPart', 'type', 'A text or an image.')

export const DEFAULT_MODERATION_MODEL = 'openai/omni-moderation-latest'

export const ModerationsRequest = Type.Object(
  {
    input: Type.Union([Type.String(), Type.Array(Type.String(), some), Type.Array(part, some)], {
      description: 'A text, several texts, or a list of parts: text and images.',
    }),
    model: optional(
      Type.String(),
      'The model, as `provider/model`. If the key cannot call the default: an alias or another model that it can call.',
      { default: DEFAULT_MODERATION_MODEL },
    ),
    fallbacks: optional(Type.Array(Type.String(), { maxItems: 3 }), 'Models to try, in this order, if one fails.'),
  },
  { title: 'ModerationsRequest', description: 'The content to classify.', ...open },
)
export type ModerationsRequest = Static<typeof ModerationsRequest>

const result = Type.Object(
  {
    flagged: Type.Boolean({ description: 'Whether any category applies.' }),
    categories: freeObject({ description: 'The categories that apply.' }),
    category_scores: freeObject({ description: 'The scores, from 0 to 1.' }),
  },
  open,
)

export const ModerationsReply = Type.Object(
  {
    id: Type.String({ description: 'Identifies this answer.' }),
    model: Type.String({ description: 'The model that answered, as `provider/model`.' }),
    results: Type.Array(result, { description: 'A result for each input.' }),
    cost: nullable(Type.Number(), 'What the call cost, in USD. Null if the price is not known.'),
    provider: Type.String({ description: 'The provider that answered.' }),
  },
  { title: 'ModerationsReply', description: 'Judgements.', ...open },
)
export type ModerationsReply = Static<typeof ModerationsReply>
