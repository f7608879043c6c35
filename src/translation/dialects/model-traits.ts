/**
 * How one model differs from what its dialect assumes: data of its catalog row, never an `if` on its name. Absent means no
 * difference.
 */
export type ModelTraits = {
  /** Request fields it refuses (`temperature`, `top_p`, `stop`, …): dropped, with a note. */
  refuses?: readonly string[]
  /** Request fields it refuses only while it thinks. */
  refusesWhileThinking?: readonly string[]
  thinking?: ThinkingTraits
  /** It continues an assistant message at the end of the conversation. */
  prefill?: boolean
  /** The maximum length of its answers. It is sent if the wire format requires a limit and the caller named none. */
  maxOutput?: number
  /** A cached prefix with fewer tokens is refused or ignored: the mark is dropped. */
  cacheMinTokens?: number
  /**
   * The vendor whose own format it needs, if a wire format leaves settings to the vendor of a model, as Bedrock does. Models of
   * Mistral also need the order of messages that Mistral requires, wherever they run.
   */
  maker?: Maker
  /** For the OpenAI wire format: a cache mark of a caller becomes a cache breakpoint. */
  cacheBreakpoints?: boolean
  /** What it does not support although its dialect does. */
  lacks?: readonly Lacking[]
  /** What only OpenAI's chat completions refuse for it: such a call goes over the responses endpoint. */
  chatRefuses?: readonly ChatRefusal[]
}

/** Functions that the model may call while it thinks. */
export type ChatRefusal = 'tools_while_thinking'

export type Maker = 'anthropic' | 'nova' | 'openai' | 'gpt-oss' | 'mistral' | 'other'

export type Lacking =
  | ('system' | 'tools' | 'vision' | 'files')
  | ('json_schema' | 'json_schema_with_tools' | 'thinking_with_tools')

/** The field of the OpenAI wire format that controls thinking. */
export type ThinkingField =
  | ('reasoning_effort' | 'thinking' | 'thinking_budget' | 'enable_thinking')
  | ('reasoning' | 'reasoning_enabled' | 'chat_template_kwargs')

export type ThinkingTraits = {
  /**
   * How thinking is controlled: `effort` by a word, `level` by Gemini's word, `budget` by a number of tokens, `adaptive` by
   * Anthropic's adaptive mode with an effort; `none` means that it cannot think.
   */
  by: 'none' | 'effort' | 'level' | 'budget' | 'adaptive'
  /** The efforts it supports, weakest first; an unsupported one becomes the nearest, with a note. */
  efforts?: readonly string[]
  /** Limits of a budget in tokens. */
  minTokens?: number
  maxTokens?: number
  /** The field of the OpenAI wire format, if it differs from the one its provider usually has. */
  field?: ThinkingField
  /** It thinks by default: no setting is then not the same as `none`. */
  byDefault?: boolean
  /** Thinking cannot be turned off. */
  always?: boolean
  /** Its reasoning is sent as text only if a summary is requested. */
  summaryOnRequest?: boolean
}
