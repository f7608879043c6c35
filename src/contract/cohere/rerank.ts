import Type, { type Static } from '../../base/schema/type.ts'
import { ChatRequest } from '../chat.ts'
import { freeObject, nullable, open, openObject, optional } from '../../base/schema/fields.ts'

/** No provider accepts more documents in one request. */
const MAX_DOCUMENTS = 10_000

/** A text, or an object that has one. */
export const RerankDocument = Type.Union([
  Type.String(),
  openObject('DocumentObject', 'text', 'A document with members of your own.'),
])

export const RerankRequest = Type.Object(
  {
    model: Type.String({
      description: 'A rerank model or an embedding model, as `provider/model`.',
      examples: ['cohere/rerank-v3.5'],
    }),
    query: Type.String({ minLength: 1, description: 'What the documents are compared with.' }),
    documents: Type.Array(RerankDocument, {
      minItems: 1,
      maxItems: MAX_DOCUMENTS,
      description: 'The documents: texts, or objects with a `text`. `rank_fields` names other members.',
    }),
    top_n: optional(Type.Integer({ minimum: 1 }), 'How many documents to return. All of them if absent.'),
    return_documents: optional(Type.Boolean(), 'Whether the results contain the documents.', { default: false }),
    rank_fields: optional(
      Type.Array(Type.String(), { minItems: 1, maxItems: 100 }),
      'The members of the documents that are compared with the query.',
    ),
    fallbacks: optional(
      Type.Array(Type.String(), { maxItems: 3 }),
      'Models to try if one fails. Scores of different models cannot be compared.',
    ),
    user: optional(Type.String(), 'Your own identifier of the end user. It is not passed on.'),
    metadata: optional(freeObject(), 'Your own metadata of this call. It is not passed on.'),
    extra_headers: ChatRequest.properties.extra_headers,
  },
  {
    title: 'RerankRequest',
    description: 'Documents to sort by their relevance to a query. Fields not listed here are passed to the provider.',
    ...open,
  },
)
export type RerankRequest = Static<typeof RerankRequest>

const result = Type.Object(
  {
    index: Type.Integer({ minimum: 0, description: 'The index of the document in the request.' }),
    relevance_score: Type.Number({ description: 'Higher is more relevant. The scale depends on the model.' }),
    document: Type.Optional(
      freeObject({ description: 'The document, with `return_documents`; a text is in its member `text`.' }),
    ),
  },
  open,
)

const count = (description: string) => Type.Optional(Type.Number({ minimum: 0, description }))

export const RerankReply = Type.Object(
  {
    id: Type.String({ description: 'Identifies this answer.' }),
    object: Type.Literal('list'),
    model: Type.String({ description: 'The model that answered, as `provider/model`.' }),
    results: Type.Array(result, { description: 'The documents, the most relevant one first.' }),
    usage: Type.Object(
      {
        total_tokens: count('Tokens read, if the provider counts them.'),
        search_units: count('Searches billed, if the provider counts them.'),
      },
      { description: 'What was used.', ...open },
    ),
    meta: Type.Object(
      { billed_units: freeObject({ description: 'The same as `usage`, with the names of Cohere.' }) },
      { description: 'For clients of Cohere.', ...open },
    ),
    cost: nullable(Type.Number(), 'What the call cost, in USD. Null if the price is not known.'),
    provider: Type.String({ description: 'The provider that answered.' }),
  },
  { title: 'RerankReply', description: 'Documents, sorted by their relevance.', ...open },
)
export type RerankReply = Static<typeof RerankReply>
