import Type, { type Static } from '../base/schema/type.ts'
import { freeObject, optional } from '../base/schema/fields.ts'

export const ProviderContent = Type.Object(
  {
    type: Type.String({
      description:
        'Whose blocks these are: `anthropic`, `gemini`, `bedrock`, `cohere`, `mistral`, `responses`, `parts`, or `gatehouse` for tools that the gateway has called.',
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

/** A block of the type `gatehouse`: a tool that the gateway has called, with its result. */
export type GatewayCall = {
  type: 'tool_call'
  /** The id that the model gave it, and the function that the model called. */
  id: string
  function: string
  kind: string
  /** The tool by its own name, and its MCP server. */
  name: string
  server: string
  input: Record<string, unknown>
  output: string
  is_error: boolean
  sources: { url: string; title: string }[]
  /** How long the tool took; null if it was not asked. */
  duration_ms: number | null
  /** In USD; null if that is not known exactly. */
  cost: number | null
}
