import Type, { type Static } from '../base/schema/type.ts'
import { freeObject, optional } from '../base/schema/fields.ts'

export const ProviderContent = Type.Object(
  {
    type: Type.String({
      description:
        'Whose blocks these are: `anthropic`, `gemini`, `bedrock`, `cohere`, `mistral`, `responses` or `parts`.',
    }),
    blocks: Type.Array(freeObject(), {
      description:
        'The parts of the answer, in their order. Blocks that the chat format cannot express are as the provider sent ' +
        'them. A `text` block names a range of `content`; calls and reasoning stand for what other fields carry.',
    }),
    container: optional(
      freeObject(),
      'Where the provider ran code: its `id` and `expires_at`. The next request uses it again.',
    ),
    omitted: optional(Type.Array(freeObject()), 'What is not carried, and why. Then the blocks are not sent back.'),
  },
  {
    title: 'ProviderContent',
    description:
      'What the provider did by itself while it answered: web searches, code, MCP calls, produced files. Send it back ' +
      'with the message, unchanged: the same provider gets its blocks in their order, other providers do not.',
    additionalProperties: true,
  },
)
export type ProviderContent = Static<typeof ProviderContent>
